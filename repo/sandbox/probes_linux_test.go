package sandbox

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/probe"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

func TestEveryProbeHolds(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		findings, err := s.findFaults(t.Context())
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(findings), 100)
		for _, f := range findings {
			require.Empty(t, f.Fault, f.Probe)
		}
	})
}

// The control: the probes prove something only if they fail without a sandbox.
func TestProbesFailWithoutASandbox(t *testing.T) {
	t.Parallel()
	s := openUnconfined(t)
	dir := t.TempDir()
	b, lift, err := probe.LayBait(dir, nil, backend.Environment{User: user.InsideID})
	require.NoError(t, err)
	defer lift()
	findings, err := runProbeCommand(t.Context(), s.Command(dir, "/proc/self/exe", probe.Marker, b.String()))
	require.NoError(t, err)
	failed := map[string]bool{}
	for _, f := range findings {
		failed[f.Probe] = f.Fault != ""
	}
	always := []string{
		"user", "user of the machine", "no new privileges", "seccomp", "host name", "loopback of the machine",
		"abstract socket of the machine", "files of the machine", "way out of the root", "signal to the program",
		"processes of the machine", "core dumps", "setuid programs", "environment of the program", "socket file of the machine",
		"way out by this directory", "way out by a link", "settings of the machine", "open files are limited", "processor time is limited",
		"can bus sockets", "remote memory sockets",
		"call: clone mounts", "call: clone a network", "call: clone a process name space", "call: unshare mounts", "call: unshare the network",
		"call: io_uring, enter", "call: io_uring, register", "call: advise another's memory",
		"call: clone3", "call: open a tree", "call: compare processes",
		"call: take another's file", "call: trace", "call: request a key", "call: clone a user name space",
	}
	if os.Geteuid() == 0 { // others are refused by the kernel anyhow
		always = append(always, "key sockets", "express data path", "call: new mount", "call: new mount's settings", "call: pick a mount", "call: set the host name", "be served first", "make a device", "kernel settings")
	}
	for _, name := range always {
		require.True(t, failed[name], "%s holds without a sandbox: the probe proves nothing", name)
	}
}

// Attacks of an untrusted script with the programs that are installed. As an ordinary user, each attack is run in one of
// the kinds; BOBBIN_EVERY runs it in every kind.
func TestScriptsOfStrangers(t *testing.T) {
	// Attacks that mean nothing in a kind: gVisor has its own numbers, and an image has its own directories.
	// The package comment lists what engines show of the machine.
	harmless := map[string][]string{
		KindGVisor: {"out of memory first"},
		KindDocker: {"list the machine", "cgroup", "read root's home"},
	}
	everyKind(t, func(t *testing.T, s *Sandbox) {
		for i, name := range slices.Sorted(maps.Keys(attacks)) {
			if slices.Contains(harmless[s.Kind()], name) || again && !hasTurn(s, i) {
				continue
			}
			script := attacks[name]
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				out, err := shell(t, s, script)
				var exit *ExitError
				require.ErrorAs(t, err, &exit, out)
				require.Empty(t, exit.Reason, "the command's own end: %s", out)
			})
		}
	})
}

// The control: attacks that do no harm succeed without a sandbox.
func TestScriptsSucceedWithoutASandbox(t *testing.T) {
	t.Parallel()
	names := []string{"list the machine", "cgroup", "unshare", "user name space by clone"}
	if os.Geteuid() == 0 {
		names = append(names, "read the password file of the machine", "chroot", "raw socket")
	}
	for _, name := range names {
		out, err := shell(t, openUnconfined(t), attacks[name])
		require.NoError(t, err, "%s: %s", name, out)
	}
}

// attacks holds scripts that must end with an error.
var attacks = map[string]string{
	"talk to the metadata service":          `bash -c 'exec 3<>/dev/tcp/169.254.169.254/80'`,
	"talk by another program":               `python3 -c 'import socket; socket.create_connection(("1.1.1.1", 53), 2)'`,
	"ask a name server":                     `python3 -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(("8.8.8.8", 53)); s.send(b"x")'`,
	"look a name up":                        `python3 -c 'import socket; socket.getaddrinfo("example.com", 443)'`,
	"fetch with node":                       `node -e 'fetch("http://1.1.1.1").then(() => process.exit(0), () => process.exit(1))'`,
	"new route":                             `ip route add default via 127.0.0.1 || python3 -c 'import os; os.stat("/sys/class/net/eth0")'`,
	"engine's socket":                       `python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect("/var/run/docker.sock")'`,
	"host by vsock":                         `python3 -c 'import socket; socket.socket(40, socket.SOCK_STREAM)'`,
	"raw socket":                            `python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)'`,
	"type into a terminal":                  `python3 -c 'import fcntl, pty, os; m, s = os.openpty(); fcntl.ioctl(s, 0x5412, b"x")'`,
	"user name space by clone":              `python3 -c 'import ctypes; import sys; sys.exit(0 if ctypes.CDLL(None).unshare(0x10000000) == 0 else 1)'`,
	"write through a link":                  `ln -s /etc/passwd l && echo x >> l`,
	"write through the first process":       `echo x > /proc/1/root/tmp/../etc/passwd`,
	"overwrite this program":                `cp /bin/true /run/probe || cp /bin/true /proc/1/exe`,
	"become another by sudo":                `sudo -n true`,
	"raise open files":                      `ulimit -n 1000000`,
	"raise processor time":                  `ulimit -t unlimited`,
	"hard link to the passwords":            `ln /etc/shadow /src/s || cat /src/s`,
	"overlay over the programs":             `mount -t overlay o -o lowerdir=/usr,upperdir=/tmp/u,workdir=/tmp/w /usr`,
	"load a module":                         `insmod /tmp/x.ko`,
	"trace the first process":               `gdb -p 1 -batch || python3 -c 'import ctypes; import sys; sys.exit(0 if ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0 else 1)'`,
	"read the password file of the machine": `cat /etc/shadow`,
	"read root's home":                      `ls /root/.ssh /root/.bashrc`,
	"list the machine":                      `ls /var /boot /srv`,
	"environment of the first process":      `grep -q . /proc/1/environ`,
	"root of the first process":             `ls /proc/1/root/var /proc/1/root/root/.ssh`,
	"memory of the first process":           `head -c1 /proc/1/mem`,
	"files of the first process":            `ls -l /proc/1/fd/ | grep ' /[^d]'`,
	"kill the first process":                `kill -9 1; kill -STOP 1; kill -TERM 1; kill -SEGV 1; sleep 0.1; exit 7`,
	"mount":                                 `mount -t tmpfs none /tmp`,
	"remount":                               `mount -o remount,bind,rw /`,
	"unmount":                               `umount /tmp || umount -l /proc`,
	"unshare":                               `unshare -Ur true`,
	"unshare more":                          `unshare -Urmpf --mount-proc true`,
	"chroot":                                `chroot / true`,
	"write the programs":                    `echo x > /usr/bin/x`,
	"write the settings":                    `echo x >> /etc/passwd`,
	"write the root":                        `mkdir /x`,
	"write the devices":                     `touch /dev/x`,
	"change the host name":                  `hostname x`,
	"raise processes":                       `ulimit -u 100000 2>/dev/null || ulimit -p 100000`,
	"raise file size":                       `ulimit -f unlimited`,
	"bash network":                          `bash -c 'echo > /dev/tcp/1.1.1.1/80'`,
	"name service":                          `getent hosts example.com`,
	"become somebody":                       `su -c true nobody`,
	"setuid program":                        `cp /usr/bin/id /tmp/id; chmod 6755 /tmp/id; chown 0 /tmp/id`,
	"device":                                `mknod /tmp/sda b 8 0`,
	"kernel log":                            `dmesg`,
	"settings of the kernel":                `echo x > /proc/sys/kernel/hostname`,
	"out of memory first":                   `echo -1000 > /proc/self/oom_score_adj`,
	"link out of the workspace":             `ln -s /../../../../root/.bashrc l && cat l`,
	"descriptors of somebody":               `ls /proc/self/fd | grep -qv '^[0-3]$'`,
	"trace":                                 `strace -o /dev/null true`,
	"tty":                                   `echo x > /dev/tty`,
	"cgroup":                                `ls /sys/fs/cgroup`,
}

// No process inside can find a secret of this process.
func TestNothingOfTheProgramShows(t *testing.T) {
	t.Setenv("BOBBIN_TEST_TOKEN", "xoxb-canary-91347")
	for kind, s := range opened() {
		t.Run(kind, func(t *testing.T) {
			out, err := shell(t, s, `env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\0' '\n'; exit 0`)
			require.NoError(t, err)
			require.Contains(t, out, "HOME=/home/box")
			require.NotContains(t, out, "canary")
		})
	}
}

// Descriptors that this program has inherited from its parent are not passed to commands.
func TestInheritedFilesStayOut(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("canary"), 0o644))
	fd, err := syscall.Open(secret, syscall.O_RDONLY, 0) // not close-on-exec
	require.NoError(t, err)
	defer syscall.Close(fd)
	require.NoError(t, syscall.Dup3(fd, 777, 0))
	defer syscall.Close(777)
	for kind, s := range opened() {
		out, err := shell(t, s, "ls -l /proc/self/fd /proc/1/fd; cat <&777")
		require.Error(t, err, kind)
		require.NotContains(t, out, "secret", kind)
		require.NotContains(t, out, "canary", kind)
	}
}
