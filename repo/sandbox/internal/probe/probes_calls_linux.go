package probe

import "golang.org/x/sys/unix"

// callProbes make system calls that the kernel must refuse before it looks at the arguments. The arguments
// make sure that nothing happens if it does not.
var callProbes = []probe{
	refusesCall("mount", unix.SYS_MOUNT), refusesCall("unmount", unix.SYS_UMOUNT2), refusesCall("mount, new", unix.SYS_FSOPEN),
	refusesCall("open a tree", unix.SYS_OPEN_TREE, bad, 0, bad), refusesCall("move a mount", unix.SYS_MOVE_MOUNT, bad, 0, bad, 0, bad), refusesCall("mount attributes", unix.SYS_MOUNT_SETATTR, bad, 0, bad),
	refusesCall("pivot root", unix.SYS_PIVOT_ROOT), refusesCall("chroot", unix.SYS_CHROOT),
	refusesCall("unshare", unix.SYS_UNSHARE, unix.CLONE_NEWUSER), refusesCall("clone a user name space", unix.SYS_CLONE, unix.CLONE_NEWUSER|unix.CLONE_FS),
	refusesCall("clone3", unix.SYS_CLONE3), refusesCall("join a name space", unix.SYS_SETNS, bad),
	refusesCall("trace", unix.SYS_PTRACE, bad), refusesCall("read another's memory", unix.SYS_PROCESS_VM_READV, bad, 0, 0, 0, 0, bad), refusesCall("write another's memory", unix.SYS_PROCESS_VM_WRITEV, bad, 0, 0, 0, 0, bad),
	refusesCall("take another's file", unix.SYS_PIDFD_GETFD, bad, bad, bad), refusesCall("compare processes", unix.SYS_KCMP, bad, bad, bad),
	refusesCall("clone a process name space", unix.SYS_CLONE, unix.CLONE_NEWPID|unix.CLONE_THREAD), refusesCall("clone a network", unix.SYS_CLONE, unix.CLONE_NEWNET|unix.CLONE_THREAD), refusesCall("clone mounts", unix.SYS_CLONE, unix.CLONE_NEWNS|unix.CLONE_THREAD),
	refusesCall("unshare mounts", unix.SYS_UNSHARE, unix.CLONE_NEWNS|unix.CLONE_PARENT), refusesCall("unshare the network", unix.SYS_UNSHARE, unix.CLONE_NEWNET|unix.CLONE_PARENT),
	refusesCall("advise another's memory", unix.SYS_PROCESS_MADVISE, bad, 0, 0, 0, bad),
	refusesCall("io_uring", unix.SYS_IO_URING_SETUP), refusesCall("io_uring, enter", unix.SYS_IO_URING_ENTER, bad), refusesCall("io_uring, register", unix.SYS_IO_URING_REGISTER, bad), refusesCall("bpf", unix.SYS_BPF, bad), refusesCall("perf", unix.SYS_PERF_EVENT_OPEN),
	refusesCall("userfaultfd", unix.SYS_USERFAULTFD, bad), refusesCall("fanotify", unix.SYS_FANOTIFY_INIT, bad),
	refusesCall("add a key", unix.SYS_ADD_KEY), refusesCall("request a key", unix.SYS_REQUEST_KEY), refusesCall("keys", unix.SYS_KEYCTL, bad),
	refusesCall("open by handle", unix.SYS_OPEN_BY_HANDLE_AT, bad), refusesCall("load a module", unix.SYS_INIT_MODULE), refusesCall("load a module's file", unix.SYS_FINIT_MODULE, bad, 0, bad),
	refusesCall("unload a module", unix.SYS_DELETE_MODULE), refusesCall("kexec", unix.SYS_KEXEC_LOAD, 0, 0, 0, bad), refusesCall("reboot", unix.SYS_REBOOT),
	refusesCall("swap on", unix.SYS_SWAPON), refusesCall("swap off", unix.SYS_SWAPOFF), refusesCall("kernel log", unix.SYS_SYSLOG, bad), refusesCall("accounting", unix.SYS_ACCT, 1),
	refusesCall("quota", unix.SYS_QUOTACTL, bad), refusesCall("set the clock", unix.SYS_CLOCK_SETTIME, bad), refusesCall("set the time", unix.SYS_SETTIMEOFDAY, 1),
	refusesCall("adjust the clock", unix.SYS_CLOCK_ADJTIME, bad), refusesCall("adjust the time", unix.SYS_ADJTIMEX),
	refusesCall("kexec of a file", unix.SYS_KEXEC_FILE_LOAD, bad, bad),
	refusesCall("set the host name", unix.SYS_SETHOSTNAME, 0, bad), refusesCall("set the domain name", unix.SYS_SETDOMAINNAME, 0, bad), // no name is that long
	refusesCall("new mount's settings", unix.SYS_FSCONFIG, bad), refusesCall("new mount", unix.SYS_FSMOUNT, bad), refusesCall("pick a mount", unix.SYS_FSPICK, bad, 0),
	refusesCall("type into a terminal", unix.SYS_IOCTL, bad, unix.TIOCSTI), refusesCall("type into a console", unix.SYS_IOCTL, bad, unix.TIOCLINUX),
}
