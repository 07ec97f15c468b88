package main

import "syscall"

// ctime is the time of the last change of a file's inode, in nanoseconds.
func ctime(s *syscall.Stat_t) int64 { return s.Ctim.Nano() }
