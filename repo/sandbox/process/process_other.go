//go:build !linux

package process

import "syscall"

// MeasureTree measures nothing here.
func MeasureTree(int) Usage { return Usage{} }

// Subtree returns root alone: those below it are not found here.
func Subtree(root int) []int { return []int{root} }

// OnNewThread calls f.
func OnNewThread(f func()) { f() }

// DieWithParent does nothing.
func DieWithParent(*syscall.SysProcAttr) {}
