package account

import "syscall"

const platformTie = kernelTie

func dieWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }
