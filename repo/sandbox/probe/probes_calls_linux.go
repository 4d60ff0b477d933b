package probe

import "golang.org/x/sys/unix"

// callProbes make calls that the kernel must turn away before it looks at the arguments,
// which are such that nothing happens where it does not.
var callProbes = []probe{
	call("mount", unix.SYS_MOUNT), call("unmount", unix.SYS_UMOUNT2), call("mount, new", unix.SYS_FSOPEN),
	call("open a tree", unix.SYS_OPEN_TREE, bad, 0, bad), call("move a mount", unix.SYS_MOVE_MOUNT, bad, 0, bad, 0, bad), call("mount attributes", unix.SYS_MOUNT_SETATTR, bad, 0, bad),
	call("pivot root", unix.SYS_PIVOT_ROOT), call("chroot", unix.SYS_CHROOT),
	call("unshare", unix.SYS_UNSHARE, unix.CLONE_NEWUSER), call("clone a user name space", unix.SYS_CLONE, unix.CLONE_NEWUSER|unix.CLONE_FS),
	call("clone3", unix.SYS_CLONE3), call("join a name space", unix.SYS_SETNS, bad),
	call("trace", unix.SYS_PTRACE, bad), call("read another's memory", unix.SYS_PROCESS_VM_READV, bad, 0, 0, 0, 0, bad), call("write another's memory", unix.SYS_PROCESS_VM_WRITEV, bad, 0, 0, 0, 0, bad),
	call("take another's file", unix.SYS_PIDFD_GETFD, bad, bad, bad), call("compare processes", unix.SYS_KCMP, bad, bad, bad),
	call("clone a process name space", unix.SYS_CLONE, unix.CLONE_NEWPID|unix.CLONE_THREAD), call("clone a network", unix.SYS_CLONE, unix.CLONE_NEWNET|unix.CLONE_THREAD), call("clone mounts", unix.SYS_CLONE, unix.CLONE_NEWNS|unix.CLONE_THREAD),
	call("unshare mounts", unix.SYS_UNSHARE, unix.CLONE_NEWNS|unix.CLONE_PARENT), call("unshare the network", unix.SYS_UNSHARE, unix.CLONE_NEWNET|unix.CLONE_PARENT),
	call("advise another's memory", unix.SYS_PROCESS_MADVISE, bad, 0, 0, 0, bad),
	call("io_uring", unix.SYS_IO_URING_SETUP), call("io_uring, enter", unix.SYS_IO_URING_ENTER, bad), call("io_uring, register", unix.SYS_IO_URING_REGISTER, bad), call("bpf", unix.SYS_BPF, bad), call("perf", unix.SYS_PERF_EVENT_OPEN),
	call("userfaultfd", unix.SYS_USERFAULTFD, bad), call("fanotify", unix.SYS_FANOTIFY_INIT, bad),
	call("add a key", unix.SYS_ADD_KEY), call("request a key", unix.SYS_REQUEST_KEY), call("keys", unix.SYS_KEYCTL, bad),
	call("open by handle", unix.SYS_OPEN_BY_HANDLE_AT, bad), call("load a module", unix.SYS_INIT_MODULE), call("load a module's file", unix.SYS_FINIT_MODULE, bad, 0, bad),
	call("unload a module", unix.SYS_DELETE_MODULE), call("kexec", unix.SYS_KEXEC_LOAD, 0, 0, 0, bad), call("reboot", unix.SYS_REBOOT),
	call("swap on", unix.SYS_SWAPON), call("swap off", unix.SYS_SWAPOFF), call("kernel log", unix.SYS_SYSLOG, bad), call("accounting", unix.SYS_ACCT, 1),
	call("quota", unix.SYS_QUOTACTL, bad), call("set the clock", unix.SYS_CLOCK_SETTIME, bad), call("set the time", unix.SYS_SETTIMEOFDAY, 1),
	call("adjust the clock", unix.SYS_CLOCK_ADJTIME, bad), call("adjust the time", unix.SYS_ADJTIMEX),
	call("kexec of a file", unix.SYS_KEXEC_FILE_LOAD, bad, bad),
	call("set the host name", unix.SYS_SETHOSTNAME, 0, bad), call("set the domain name", unix.SYS_SETDOMAINNAME, 0, bad), // no name is that long
	call("new mount's settings", unix.SYS_FSCONFIG, bad), call("new mount", unix.SYS_FSMOUNT, bad), call("pick a mount", unix.SYS_FSPICK, bad, 0),
	call("type into a terminal", unix.SYS_IOCTL, bad, unix.TIOCSTI), call("type into a console", unix.SYS_IOCTL, bad, unix.TIOCLINUX),
}
