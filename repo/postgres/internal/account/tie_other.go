//go:build !linux

package account

import (
	"syscall"
)

const platformTie = WatcherTie

func dieWithUs(*syscall.SysProcAttr) {}
