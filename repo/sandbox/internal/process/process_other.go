//go:build !linux

package process

import "syscall"

// MeasureTree returns zero on this system.
func MeasureTree(int) Usage { return Usage{} }

// Subtree returns only root, because child processes cannot be found on this system.
func Subtree(root int) []int { return []int{root} }

// OnNewThread calls f.
func OnNewThread(f func()) { f() }

// DieWithParent does nothing.
func DieWithParent(*syscall.SysProcAttr) {}
