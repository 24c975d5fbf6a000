print("not wired yet")
