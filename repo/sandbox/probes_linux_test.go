package sandbox

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryProbeHolds(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		findings, err := s.probe(t.Context())
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(findings), 100)
		for _, f := range findings {
			require.Empty(t, f.Fault, f.Probe)
		}
	})
}

// The control: what the probes say is worth something only if they fail without a sandbox.
func TestProbesFailWithoutASandbox(t *testing.T) {
	t.Parallel()
	s := unconfined(t)
	dir := t.TempDir()
	b, lift, err := layBait(dir, nil)
	require.NoError(t, err)
	defer lift()
	findings, err := runProbes(t.Context(), s.Command(dir, "/proc/self/exe", probeMarker, b.String()))
	require.NoError(t, err)
	failed := map[string]bool{}
	for _, f := range findings {
		failed[f.Probe] = f.Fault != ""
	}
	for _, name := range []string{
		"user", "user of the machine", "no new privileges", "seccomp", "host name", "loopback of the machine",
		"abstract socket of the machine", "files of the machine", "way out of the root", "signal to the program",
		"processes of the machine", "core dumps", "setuid programs",
		"call: clone3", "call: open a tree", "call: compare processes",
		"call: take another's file", "call: trace", "call: request a key", "call: clone a user name space",
	} {
		require.True(t, failed[name], "%s holds without a sandbox: the probe proves nothing", name)
	}
}

// What a stranger's script would try, with the programs that are there.
func TestScriptsOfStrangers(t *testing.T) {
	attacks := map[string]string{
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
	everyKind(t, func(t *testing.T, s *Sandbox) {
		for name, script := range attacks {
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

// Secrets of this process must not be found by anybody inside.
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

// What this program was handed by its own parent goes no further.
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
