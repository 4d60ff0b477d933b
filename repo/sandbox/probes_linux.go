package sandbox

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A probe tries one wall from the inside; nil means that it holds.
type probe struct {
	name string
	try  func(bait) error
}

// probes are the walls, the same for every kind.
var probes = slices.Concat(identityProbes, networkProbes, fileProbes, processProbes, callProbes)

var identityProbes = []probe{
	{"user", func(bait) error {
		return fault(os.Getuid() == insideID && os.Geteuid() == insideID, "user %d", os.Getuid())
	}},
	{"group", func(bait) error { return fault(os.Getgid() == insideID, "group %d", os.Getgid()) }},
	{"groups of root", func(bait) error {
		groups, err := os.Getgroups()
		return fault(err == nil && !slices.Contains(groups, 0), "groups %v", groups)
	}},
	{"user of the machine", func(bait) error {
		ids, _ := os.ReadFile("/proc/self/uid_map")
		words := strings.Fields(string(ids))
		return fault(len(words) == 3 && words[0] == "1000" && words[2] == "1", "maps %q", ids)
	}},
	{"effective capabilities", status("CapEff", "0000000000000000")},
	{"permitted capabilities", status("CapPrm", "0000000000000000")},
	{"inheritable capabilities", status("CapInh", "0000000000000000")},
	{"ambient capabilities", status("CapAmb", "0000000000000000")},
	{"bounding capabilities", status("CapBnd", "0000000000000000")},
	{"no new privileges", status("NoNewPrivs", "1")},
	{"seccomp", status("Seccomp", "2")},
	{"become root", func(bait) error { return refused(syscall.Setuid(0)) }},
	{"become another group", func(bait) error { return refused(syscall.Setgid(0)) }},
	{"host name", func(b bait) error {
		name, _ := os.Hostname()
		return fault(name == "box", "the name is %q", name)
	}},
	{"environment", func(bait) error {
		for _, kv := range os.Environ() {
			name, _, _ := strings.Cut(kv, "=")
			for _, word := range []string{"TOKEN", "SECRET", "PASSWORD", "API_KEY", "DATABASE_URL", "SLACK"} {
				if strings.Contains(name, word) {
					return fmt.Errorf("%s is set", name)
				}
			}
		}
		return nil
	}},
	{"environment of the first process", func(bait) error {
		text, err := os.ReadFile("/proc/1/environ")
		return fault(err != nil || len(text) == 0, "%d bytes", len(text))
	}},
	{"inherited files", inheritedFiles},
	{"terminal", func(bait) error { return unreadable("/dev/tty") }},
	{"processes are limited", limited(unix.RLIMIT_NPROC)},
	{"file size is limited", limited(unix.RLIMIT_FSIZE)},
	{"core dumps", func(bait) error {
		var l syscall.Rlimit
		syscall.Getrlimit(unix.RLIMIT_CORE, &l) //nolint:errcheck // it knows the number
		return fault(l.Max == 0, "up to %d bytes", l.Max)
	}},
}

var networkProbes = []probe{
	{"interfaces", func(bait) error {
		all, err := net.Interfaces()
		return fault(err == nil && len(all) == 1 && all[0].Name == "lo", "%d interfaces, %v", len(all), err)
	}},
	{"routes", func(bait) error {
		text, _ := os.ReadFile("/proc/net/route")
		return fault(strings.Count(string(text), "\n") <= 1, "there is a route")
	}},
	{"own loopback works", func(bait) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close()
		c, err := net.DialTimeout("tcp", l.Addr().String(), time.Second)
		if err == nil {
			c.Close()
		}
		return err
	}},
	{"loopback of the machine", func(b bait) error { return noConnection("tcp", fmt.Sprintf("127.0.0.1:%d", b.Port)) }},
	{"abstract socket of the machine", func(b bait) error { return noConnection("unix", b.Abstract) }},
	{"internet", func(bait) error { return noConnection("tcp", "1.1.1.1:443") }},
	{"internet, IPv6", func(bait) error { return noConnection("tcp", "[2606:4700:4700::1111]:443") }},
	{"metadata service", func(bait) error { return noConnection("tcp", "169.254.169.254:80") }},
	{"datagrams", func(bait) error {
		c, err := net.Dial("udp", "1.1.1.1:53")
		if err != nil {
			return nil
		}
		defer c.Close()
		_, err = c.Write([]byte("x"))
		return fault(err != nil, "one was sent")
	}},
	{"host socket family", family(unix.AF_VSOCK)},
	{"packet sockets", family(unix.AF_PACKET)},
	{"kernel crypto sockets", family(unix.AF_ALG)},
	{"bluetooth sockets", family(unix.AF_BLUETOOTH)},
	{"raw sockets", func(bait) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)
		if err == nil {
			unix.Close(fd)
		}
		return refused(err)
	}},
}

var fileProbes = []probe{
	{"files of the machine", func(b bait) error {
		for _, file := range b.Files {
			if err := unreadable(file); err != nil && !leadsToToolchain(file) {
				return err
			}
		}
		return nil
	}},
	{"homes", func(bait) error {
		for _, dir := range []string{"/root", "/home"} {
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				if e.Name() != "box" && !leadsToToolchain(filepath.Join(dir, e.Name())) {
					return fmt.Errorf("%s/%s shows", dir, e.Name())
				}
			}
		}
		return nil
	}},
	{"way out of the root", func(b bait) error { return unreadable("/usr/../../../../../.." + b.Files[0]) }},
	{"way out by the first process", func(b bait) error { return unreadable("/proc/1/root" + b.Files[0]) }},
	{"root is read-only", unwritable("/probe")},
	{"programs are read-only", unwritable("/usr/probe")},
	{"settings are read-only", unwritable("/etc/probe")},
	{"devices are read-only", unwritable("/dev/probe")},
	{"this program is read-only", unwritable("/run/probe2")},
	{"kernel settings", func(bait) error { return unopened("/proc/sys/kernel/core_pattern") }},
	{"system request key", func(bait) error { return unopened("/proc/sysrq-trigger") }},
	{"workspace can be written", writable("/src")},
	{"temporary files can be written", writable("/tmp")},
	{"home can be written", writable("/home/box")},
	{"temporary files are limited", sized("/tmp", tmpSize)},
	{"home is limited", sized("/home/box", tmpSize)},
	{"shared memory is limited", sized("/dev/shm", shmSize)},
	{"setuid programs", flagged("/usr", unix.ST_NOSUID)},
	{"setuid files in the workspace", flagged("/src", unix.ST_NOSUID)},
	{"devices in the workspace", flagged("/src", unix.ST_NODEV)},
	{"make a device", func(bait) error {
		defer os.Remove("/tmp/device")
		return refused(unix.Mknod("/tmp/device", unix.S_IFBLK|0o600, int(unix.Mkdev(1, 3))))
	}},
	{"give a file to root", func(bait) error {
		file := "/tmp/given"
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			return err
		}
		defer os.Remove(file)
		return fault(os.Chown(file, 0, 0) != nil, "done")
	}},
	{"devices", func(bait) error {
		for _, name := range []string{"mem", "kmem", "port", "kmsg", "sda", "vda", "nvme0n1", "kvm", "fuse", "vsock", "net/tun", "loop0", "userfaultfd"} {
			if err := unreadable("/dev/" + name); err != nil {
				return err
			}
		}
		return nil
	}},
	{"command line of the kernel", func(bait) error {
		text, _ := os.ReadFile("/proc/cmdline")
		return fault(len(text) == 0, "%d bytes", len(text))
	}},
	{"mounts of the machine", func(bait) error {
		text, _ := os.ReadFile("/proc/self/mountinfo")
		for line := range strings.Lines(string(text)) {
			if at := strings.Fields(line); len(at) > 4 && (strings.HasPrefix(at[4], "/oldroot") || strings.HasPrefix(at[4], "/sys")) {
				return fmt.Errorf("%s is mounted", at[4])
			}
		}
		return nil
	}},
}

var processProbes = []probe{
	{"signal to the program", func(b bait) error {
		err := syscall.Kill(b.Pid, 0)
		if b.Pid < 100 { // a small number is somebody's inside as well
			return nil
		}
		return fault(err != nil, "process %d can be reached", b.Pid)
	}},
	{"processes of the machine", func(bait) error {
		entries, err := os.ReadDir("/proc")
		if err != nil {
			return err
		}
		n := 0
		for _, e := range entries {
			if name := e.Name(); name[0] >= '0' && name[0] <= '9' {
				n++
			}
		}
		return fault(n <= 4, "%d processes show", n)
	}},
	{"first process", func(bait) error {
		if unopened("/proc/1/mem") == nil {
			return nil
		}
		// It can be taken over: then it must be no freer than we are.
		for field, want := range map[string]string{
			"CapEff": "0000000000000000", "CapPrm": "0000000000000000", "NoNewPrivs": "1", "Seccomp": "2",
		} {
			if err := statusOf("/proc/1/status", field, want); err != nil {
				return err
			}
		}
		return nil
	}},
	{"raise a limit", func(bait) error {
		var l syscall.Rlimit
		syscall.Getrlimit(unix.RLIMIT_NPROC, &l) //nolint:errcheck // it knows the number
		l.Cur, l.Max = l.Max+1, l.Max+1
		return refused(syscall.Setrlimit(unix.RLIMIT_NPROC, &l))
	}},
	{"session", func(bait) error {
		sid, err := unix.Getsid(0)
		return fault(err == nil && sid != 0, "session %d belongs to the machine, %v", sid, err)
	}},
}

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
	call("io_uring", unix.SYS_IO_URING_SETUP), call("bpf", unix.SYS_BPF, bad), call("perf", unix.SYS_PERF_EVENT_OPEN),
	call("userfaultfd", unix.SYS_USERFAULTFD, bad), call("fanotify", unix.SYS_FANOTIFY_INIT, bad),
	call("add a key", unix.SYS_ADD_KEY), call("request a key", unix.SYS_REQUEST_KEY), call("keys", unix.SYS_KEYCTL, bad),
	call("open by handle", unix.SYS_OPEN_BY_HANDLE_AT, bad), call("load a module", unix.SYS_INIT_MODULE), call("load a module's file", unix.SYS_FINIT_MODULE, bad, 0, bad),
	call("unload a module", unix.SYS_DELETE_MODULE), call("kexec", unix.SYS_KEXEC_LOAD, 0, 0, 0, bad), call("reboot", unix.SYS_REBOOT),
	call("swap on", unix.SYS_SWAPON), call("swap off", unix.SYS_SWAPOFF), call("kernel log", unix.SYS_SYSLOG, bad), call("accounting", unix.SYS_ACCT, 1),
	call("quota", unix.SYS_QUOTACTL, bad), call("set the clock", unix.SYS_CLOCK_SETTIME, bad), call("set the time", unix.SYS_SETTIMEOFDAY, 1),
	call("type into a terminal", unix.SYS_IOCTL, bad, unix.TIOCSTI), call("type into a console", unix.SYS_IOCTL, bad, unix.TIOCLINUX),
}
