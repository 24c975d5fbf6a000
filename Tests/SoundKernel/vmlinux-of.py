"""vmlinux-of.py VMLINUZ OUT: the raw ELF kernel inside Debian's xz-compressed image.

QEMU boots the ELF directly (PVH); under emulation that saves the guest 3 s of unpacking.
"""
import lzma
import sys

XZ_MAGIC = b"\xfd7zXZ\x00"
ELF_MAGIC = b"\x7fELF"

with open(sys.argv[1], "rb") as file:
    image = file.read()
start = image.find(XZ_MAGIC)
if start < 0:
    sys.exit(f"{sys.argv[1]}: holds no xz stream; is it a Debian amd64 kernel?")
kernel = lzma.LZMADecompressor().decompress(image[start:])
if kernel[:4] != ELF_MAGIC:
    sys.exit(f"{sys.argv[1]}: what it holds is not an ELF kernel")
with open(sys.argv[2], "wb") as file:
    file.write(kernel)
