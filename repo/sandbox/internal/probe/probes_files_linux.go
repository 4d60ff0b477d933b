package probe

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/bridge"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/rootfs"
)

var fileProbes = []probe{
	{"files of the machine", func(b bait) error {
		for _, file := range b.Files {
			if err := checkUnreadable(file); err != nil && !leadsToToolchain(file) {
				return err
			}
		}
		return nil
	}},
	{"homes", func(b bait) error {
		if b.Inside.Image { // the homes in the image are not the machine's
			return nil
		}
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
	{"environment of the program", func(b bait) error {
		// A process inside may have the same number; its environment cannot be the same.
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", b.Pid))
		return faultUnless(len(text) == 0 || hashText(text) != b.Environ, "it can be read")
	}},
	{"way out by this directory", func(b bait) error { return checkUnreadable("/proc/self/cwd/../../../../../../../.." + b.Files[0]) }},
	{"way out by a link", func(b bait) error {
		defer os.Remove("/tmp/.probe-link")
		if err := os.Symlink("../../../../../../.."+b.Files[0], "/tmp/.probe-link"); err != nil {
			return err
		}
		return checkUnreadable("/tmp/.probe-link")
	}},
	{"what runs on the machine", func(b bait) error {
		if b.Inside.Image { // /run of the image is not the machine's
			return nil
		}
		entries, _ := os.ReadDir("/run")
		for _, e := range entries {
			if name := e.Name(); name != "probe" && name != "box" && name != ".containerenv" && name != path.Base(bridge.ProgramPath) && name != path.Base(bridge.SocketPath) {
				return fmt.Errorf("/run/%s shows", name)
			}
		}
		return nil
	}},
	{"way out of the root", func(b bait) error { return checkUnreadable("/usr/../../../../../.." + b.Files[0]) }},
	{"way out by the first process", func(b bait) error { return checkUnreadable("/proc/1/root" + b.Files[0]) }},
	{"root is read-only", refusesFile("/probe")},
	{"programs are read-only", refusesFile("/usr/probe")},
	{"settings are read-only", refusesFile("/etc/probe")},
	{"devices are read-only", refusesFile("/dev/probe")},
	{"this program is read-only", refusesFile("/run/probe2")},
	{"kernel settings", func(bait) error { return checkUnwritable("/proc/sys/kernel/core_pattern") }},
	{"system request key", func(bait) error { return checkUnwritable("/proc/sysrq-trigger") }},
	{"workspace can be written", allowsFile("/src")},
	{"temporary files can be written", allowsFile("/tmp")},
	{"home can be written", allowsFile("/home/box")},
	{"temporary files are limited", hasSize("/tmp", backend.TmpSize)},
	{"home is limited", hasSize("/home/box", backend.TmpSize)},
	{"shared memory is limited", hasSize("/dev/shm", backend.ShmSize)},
	{"setuid programs", noSetuid("/usr")},
	{"setuid files in the workspace", noSetuid("/src")},
	{"setuid files in /tmp", hasMountFlag("/tmp", unix.ST_NOSUID)},
	{"devices in the workspace", func(b bait) error {
		if b.Inside.OwnKernel { // gVisor opens no device of the machine, and its own mount of the workspace, outside, also forbids it
			return deviceRefused("/src/.probe-device")
		}
		if b.Inside.Image { // an engine does not mount with nodev; it uses a list of allowed devices instead
			return deviceRefused("/src/.probe-device")
		}
		return hasMountFlag("/src", unix.ST_NODEV)(b)
	}},
	{"make a device", func(bait) error { return deviceRefused("/tmp/.probe-device") }},
	{"give a file to root", func(bait) error {
		file := "/tmp/given"
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			return err
		}
		defer os.Remove(file)
		return faultUnless(os.Chown(file, 0, 0) != nil, "done")
	}},
	{"devices", func(b bait) error {
		for _, name := range []string{"mem", "kmem", "port", "kmsg", "sda", "vda", "nvme0n1", "kvm", "fuse", "vsock", "net/tun", "loop0", "userfaultfd"} {
			if b.Inside.OwnKernel && (name == "fuse" || name == "net/tun") {
				continue // gVisor's own devices, which give no access to the machine
			}
			if err := checkUnreadable("/dev/" + name); err != nil {
				return err
			}
		}
		return nil
	}},
	{"command line of the kernel", func(b bait) error {
		text, _ := os.ReadFile("/proc/cmdline")
		invented := b.Inside.OwnKernel && string(text) != b.Booted                              // gVisor shows its own command line
		return faultUnless(len(text) == 0 || invented || b.Inside.Image, "%d bytes", len(text)) // engines always show it, and it cannot be hidden
	}},
	{"files of the kernel", func(b bait) error {
		for _, path := range rootfs.Masked[1:] {
			if b.Inside.Image && path == "/proc/key-users" { // only numbers, which engines do not hide
				continue
			}
			if text, _ := os.ReadFile(path); len(text) > 0 {
				return fmt.Errorf("%s has %d bytes", path, len(text))
			}
		}
		return nil
	}},
	{"memory of the kernel", func(bait) error {
		f, err := os.Open("/proc/kcore")
		if err != nil {
			return nil
		}
		defer f.Close()
		n, _ := f.Read(make([]byte, 1))
		return faultUnless(n == 0, "it can be read")
	}},
	{"settings of the machine", func(b bait) error {
		if b.Inside.Image { // engines show them read-only
			return hasMountFlag("/sys", unix.ST_RDONLY)(b)
		}
		entries, _ := os.ReadDir("/sys")
		return faultUnless(len(entries) == 0, "%d of them show", len(entries))
	}},
	{"mounts of the machine", func(b bait) error {
		text, _ := os.ReadFile("/proc/self/mountinfo")
		for line := range strings.Lines(string(text)) {
			if at := strings.Fields(line); len(at) > 4 && (strings.HasPrefix(at[4], "/oldroot") || !b.Inside.Image && strings.HasPrefix(at[4], "/sys/")) {
				return fmt.Errorf("%s is mounted", at[4])
			}
		}
		return nil
	}},
}

// noSetuid returns a check that no program in dir can change its user. An engine does not mount with nosuid;
// for its containers, it is enough that no process gets new privileges.
func noSetuid(dir string) func(bait) error {
	return func(b bait) error {
		if b.Inside.Image {
			set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
			return faultUnless(err == nil && set == 1, "%d, %v", set, err)
		}
		return hasMountFlag(dir, unix.ST_NOSUID)(b)
	}
}

// hashText returns a hash to compare texts that must not be written anywhere.
func hashText(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

func deviceRefused(path string) error {
	defer os.Remove(path)
	return checkRefused(unix.Mknod(path, unix.S_IFBLK|0o600, int(unix.Mkdev(1, 3))))
}

var processProbes = []probe{
	{"signal to the program", func(b bait) error {
		err := syscall.Kill(b.Pid, 0)
		if b.Pid < 100 { // a process inside may have a small number, too
			return nil
		}
		return faultUnless(err != nil, "process %d can be reached", b.Pid)
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
		return faultUnless(n <= 4, "%d processes show", n)
	}},
	{"first process", func(bait) error {
		if checkUnwritable("/proc/1/mem") == nil {
			return nil
		}
		// It can be taken over, so it must have no more rights than this process.
		for field, want := range map[string]string{
			"CapEff": "0000000000000000", "CapPrm": "0000000000000000", "NoNewPrivs": "1", "Seccomp": "2",
		} {
			if err := CheckStatus("/proc/1/status", field, want); err != nil {
				return err
			}
		}
		return nil
	}},
	{"raise a limit", func(bait) error {
		var l syscall.Rlimit
		syscall.Getrlimit(unix.RLIMIT_NPROC, &l) //nolint:errcheck // it knows the number
		l.Cur, l.Max = l.Max+1, l.Max+1
		return checkRefused(syscall.Setrlimit(unix.RLIMIT_NPROC, &l))
	}},
	{"be served first", func(b bait) error {
		if b.Inside.OwnKernel { // gVisor's own number, which does not affect the machine
			return nil
		}
		return checkRefused(unix.Setpriority(unix.PRIO_PROCESS, 0, -20))
	}},
	{"die last", func(b bait) error {
		if b.Inside.OwnKernel { // the same
			return nil
		}
		score, err := os.ReadFile("/proc/self/oom_score_adj")
		if err != nil {
			return nil
		}
		now, err := strconv.Atoi(strings.TrimSpace(string(score)))
		if err != nil || now <= -999 {
			return fmt.Errorf("it stands at %q", score)
		}
		return faultUnless(os.WriteFile("/proc/self/oom_score_adj", []byte("-999"), 0) != nil, "done")
	}},
	{"session", func(bait) error {
		sid, err := unix.Getsid(0)
		return faultUnless(err == nil && sid != 0, "session %d belongs to the machine, %v", sid, err)
	}},
}
