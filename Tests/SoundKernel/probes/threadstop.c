// threadstop PROCESS NAME: holds the one thread of a process that is called NAME, the others run on, until it is killed
// or the process ends. Prints the instant of the stop (CLOCK_MONOTONIC, ns).
//
// Exit status: 0 when the process has ended, 1 where there is no such thread or it cannot be held, 2 for wrong arguments.
#define _GNU_SOURCE
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

static pid_t named(const char *process, const char *name) {
  char path[300], comm[64];
  snprintf(path, sizeof path, "/proc/%s/task", process);
  DIR *folder = opendir(path);
  if (!folder) return 0;
  pid_t found = 0;
  for (struct dirent *entry; !found && (entry = readdir(folder));) {
    snprintf(path, sizeof path, "/proc/%.20s/task/%.20s/comm", process, entry->d_name);
    FILE *file = fopen(path, "r");
    if (!file) continue;
    if (fgets(comm, sizeof comm, file)) {
      comm[strcspn(comm, "\n")] = 0;
      if (!strcmp(comm, name)) found = atoi(entry->d_name);
    }
    fclose(file);
  }
  closedir(folder);
  return found;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "threadstop: write threadstop PROCESS NAME\n");
    return 2;
  }
  pid_t thread = named(argv[1], argv[2]);
  if (!thread || ptrace(PTRACE_SEIZE, thread, 0, 0) || ptrace(PTRACE_INTERRUPT, thread, 0, 0)) {
    fprintf(stderr, "threadstop: no thread '%s' of process %s can be held\n", argv[2], argv[1]);
    return 1;
  }
  int status;
  waitpid(thread, &status, __WALL);
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  printf("%lld\n", t.tv_sec * 1000000000LL + t.tv_nsec);
  fflush(stdout);
  // Stopped until it is no more.
  while (waitpid(thread, &status, __WALL) > 0 && !WIFEXITED(status) && !WIFSIGNALED(status)) {
  }
  return 0;
}
