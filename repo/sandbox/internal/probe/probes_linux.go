package probe

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
)

// A probe tries to break one protection from the inside. try returns nil if the protection holds.
type probe struct {
	name string
	try  func(bait) error
}

// probes lists all probes, the same for every kind.
var probes = slices.Concat(identityProbes, networkProbes, fileProbes, processProbes, callProbes)

var identityProbes = []probe{
	{"user", func(b bait) error {
		return faultUnless(os.Getuid() == b.Inside.User && os.Geteuid() == b.Inside.User && os.Getuid() != 0, "user %d", os.Getuid())
	}},
	{"group", func(bait) error { return faultUnless(os.Getgid() != 0 && os.Getegid() != 0, "group %d", os.Getgid()) }},
	{"groups of root", func(bait) error {
		groups, err := os.Getgroups()
		return faultUnless(err == nil && !slices.Contains(groups, 0), "groups %v", groups)
	}},
	{"user of the machine", func(b bait) error {
		if b.Inside.OwnKernel || b.Inside.SameIDs {
			// The uids inside are gVisor's own, and its processes on the machine are visible only from
			// outside; or they are the machine's, and then it must be impossible to change them.
			return checkRefused(syscall.Setresuid(b.Inside.User+1, b.Inside.User+1, b.Inside.User+1))
		}
		ids, _ := os.ReadFile("/proc/self/uid_map")
		words := strings.Fields(string(ids))
		return faultUnless(len(words) == 3 && words[0] == "1000" && words[2] == "1", "maps %q", ids)
	}},
	{"effective capabilities", hasStatus("CapEff", "0000000000000000")},
	{"permitted capabilities", hasStatus("CapPrm", "0000000000000000")},
	{"inheritable capabilities", hasStatus("CapInh", "0000000000000000")},
	{"ambient capabilities", hasStatus("CapAmb", "0000000000000000")},
	{"bounding capabilities", hasStatus("CapBnd", "0000000000000000")},
	{"no new privileges", func(bait) error {
		set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
		return faultUnless(err == nil && set == 1, "%d, %v", set, err)
	}},
	{"seccomp", hasStatus("Seccomp", "2")},
	{"become root", func(bait) error { return checkRefused(syscall.Setuid(0)) }},
	{"become another group", func(bait) error { return checkRefused(syscall.Setgid(0)) }},
	{"add groups", func(bait) error { return checkRefused(unix.Setgroups([]int{0})) }},
	{"raise capabilities", func(bait) error {
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var now [2]unix.CapUserData
		if err := unix.Capget(&header, &now[0]); err != nil {
			return err
		}
		now[0].Effective |= 1 << unix.CAP_SYS_ADMIN
		now[0].Permitted |= 1 << unix.CAP_SYS_ADMIN
		return checkRefused(unix.Capset(&header, &now[0]))
	}},
	{"host name", func(b bait) error {
		name, _ := os.Hostname()
		return faultUnless(name == "box", "the name is %q", name)
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
		return faultUnless(err != nil || len(text) == 0, "%d bytes", len(text))
	}},
	{"inherited files", inheritedFiles},
	{"terminal", func(bait) error { return checkUnreadable("/dev/tty") }},
	{"processes are limited", hasLimit(unix.RLIMIT_NPROC)},
	{"file size is limited", hasLimit(unix.RLIMIT_FSIZE)},
	{"open files are limited", func(bait) error {
		var l syscall.Rlimit
		err := syscall.Getrlimit(unix.RLIMIT_NOFILE, &l)
		return faultUnless(err == nil && l.Max <= backend.OpenFiles, "up to %d, %v", l.Max, err)
	}},
	{"processor time is limited", hasLimit(unix.RLIMIT_CPU)},
	{"core dumps", func(bait) error {
		var l syscall.Rlimit
		syscall.Getrlimit(unix.RLIMIT_CORE, &l) //nolint:errcheck // it knows the number
		return faultUnless(l.Max == 0, "up to %d bytes", l.Max)
	}},
}

var networkProbes = []probe{
	{"interfaces", func(bait) error {
		all, err := net.Interfaces()
		return faultUnless(err == nil && len(all) == 1 && all[0].Name == "lo", "%d interfaces, %v", len(all), err)
	}},
	{"routes", func(bait) error {
		text, _ := os.ReadFile("/proc/net/route")
		return faultUnless(strings.Count(string(text), "\n") <= 1, "there is a route")
	}},
	{"own loopback works", func(bait) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close()
		c, err := net.DialTimeout("tcp", l.Addr().String(), onThisMachine)
		if err == nil {
			c.Close()
		}
		return err
	}},
	{"loopback of the machine", func(b bait) error { return noConnection("tcp", fmt.Sprintf("127.0.0.1:%d", b.Port), onThisMachine) }},
	{"abstract socket of the machine", func(b bait) error { return noConnection("unix", b.Abstract, onThisMachine) }},
	{"internet", func(bait) error { return noConnection("tcp", "1.1.1.1:443", onTheInternet) }},
	{"internet, IPv6", func(bait) error { return noConnection("tcp", "[2606:4700:4700::1111]:443", onTheInternet) }},
	{"metadata service", func(bait) error { return noConnection("tcp", "169.254.169.254:80", onTheInternet) }},
	{"datagrams", func(bait) error {
		c, err := net.Dial("udp", "1.1.1.1:53")
		if err != nil {
			return nil
		}
		defer c.Close()
		_, err = c.Write([]byte("x"))
		return faultUnless(err != nil, "one was sent")
	}},
	{"names are not looked up", func(bait) error {
		text, err := os.ReadFile("/etc/resolv.conf")
		return faultUnless(err == nil && !strings.Contains(string(text), "nameserver"), "name servers %q, %v", text, err)
	}},
	{"loopback of the machine, IPv6", func(b bait) error { return noConnection("tcp", fmt.Sprintf("[::1]:%d", b.Port), onThisMachine) }},
	{"socket file of the machine", func(b bait) error { return noConnection("unix", b.Socket, onThisMachine) }},
	{"engine of the machine", func(bait) error {
		for _, path := range []string{"/run/docker.sock", "/var/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/dbus/system_bus_socket", "/run/systemd/private"} {
			if err := noConnection("unix", path, onThisMachine); err != nil {
				return err
			}
		}
		return nil
	}},
	{"host socket family", refusesFamily(unix.AF_VSOCK)},
	{"express data path", refusesFamily(unix.AF_XDP)},
	{"key sockets", refusesFamily(unix.AF_KEY)},
	{"can bus sockets", refusesFamily(unix.AF_CAN)},
	{"cluster sockets", refusesFamily(unix.AF_TIPC)},
	{"remote memory sockets", refusesFamily(unix.AF_RDS)},
	{"packet sockets", refusesFamily(unix.AF_PACKET)},
	{"kernel crypto sockets", refusesFamily(unix.AF_ALG)},
	{"bluetooth sockets", refusesFamily(unix.AF_BLUETOOTH)},
	{"raw sockets", func(bait) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)
		if err == nil {
			unix.Close(fd)
		}
		return checkRefused(err)
	}},
}
