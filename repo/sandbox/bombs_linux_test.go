package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A bomb is a command that uses too much of a resource. It prints "beyond" once it has several times its
// limit. With the limit, this must never happen; without the limit, it must.
type bomb struct {
	name   string
	script string // perl code
	limits Limits // in addition to wide
	loose  Limits // limits of the control, in addition to wide
	ends   string // the possible reasons, separated by commas; "" if it ends by itself with an error
	own    bool   // the limit cannot be configured: the control runs without a sandbox
	// without control groups only measurements at intervals show that it is beyond its limit
	watch bool
	// $far in the control and with the limit: the seconds until it is beyond a limit that counts time
	far [2]float64
}

// wide holds the limits of every bomb that it does not set itself.
var wide = Limits{
	Time:      10 * time.Minute,
	Memory:    1 << 30,
	Processes: 400,
	FileSize:  1 << 30,
	Output:    1 << 30,
	Disk:      4 << 30,
	Files:     1 << 20,
}

const pace = `use Time::HiRes; sub pace { Time::HiRes::sleep(0.01) } $| = 1; ` +
	`sub beyond { print "\nbeyond\n"; sleep 600 } `

var bombs = []bomb{
	{
		name: "processes that stay",
		script: `while (1) { my $p = fork; if (!defined $p) { pace; next } if (!$p) { sleep 600; ` +
			`exit } beyond if ++$n == 150 }`,
		limits: Limits{Processes: 40, Time: time.Second}, ends: "time",
	},
	{
		name: "processes that fork", // and each of them forks again
		script: `my $first = $$; pipe R, W; for (1 .. 8) { fork // pace } syswrite W, "x"; sleep 600 if $$ != $first;
			while (sysread R, my $b, 64) { $all += length $b; beyond if $all >= 150 }`,
		limits: Limits{Processes: 40, Time: time.Second}, ends: "time",
	},
	{
		name: "zombies",
		script: `while (1) { my $p = fork; if (!defined $p) { pace; next } exit if !$p; ` +
			`beyond if ++$n == 150 }`,
		limits: Limits{Processes: 40, Time: time.Second}, ends: "time",
	},
	{
		name: "memory of one process", watch: true,
		script: `while (1) { push @a, "x" x (1 << 20); pace if @a % 8 == 0; beyond if @a == 350 }`,
		limits: Limits{Memory: 96 << 20}, ends: "memory",
	},
	{
		name: "memory of many processes", watch: true,
		script: `pipe R, W; for (1 .. 12) { next if fork; for (1 .. 25) { push @a, "x" x (1 << 20); pace; pace; pace } syswrite W, "x"; sleep 600 }
			while (sysread R, my $b, 64) { $all += length $b; beyond if $all == 12 } sleep 600`,
		limits: Limits{Memory: 96 << 20}, ends: "memory",
	},
	{
		name: "files in memory", // /dev/shm is small anyway
		script: `my $x = "x" x (1 << 20); my $full = 0; while (1) { my $d = ("/tmp", "/home/box", "/dev/shm")[$n++ % 3]; open my $f, ">", "$d/$n" or exit 1;
			if ((syswrite $f, $x) == 1 << 20) { $full = 0; beyond if ++$ok == 260 } else { exit 1 if ++$full == 6 } }`,
		limits: Limits{Memory: 96 << 20}, ends: "memory,",
	},
	{
		name: "one large file",
		script: `my $x = "x" x (1 << 20); open my $f, ">", "big"; while (1) { exit 1 if (syswrite $f, $x) ` +
			`!= 1 << 20; beyond if ++$n == 64 }`,
		limits: Limits{FileSize: 8 << 20}, ends: "",
	},
	{
		name:   "a sparse file of a terabyte",
		script: `open my $f, ">", "big"; truncate $f, 1 << 40 or exit 1; beyond`,
		limits: Limits{FileSize: 8 << 20}, loose: Limits{FileSize: 2 << 40}, ends: "",
	},
	{
		name: "many large files",
		script: `my $x = "x" x (1 << 20); while (1) { open my $f, ">", ++$n; syswrite $f, $x; pace; ` +
			`beyond if $n == 100 }`,
		limits: Limits{Disk: 8 << 20}, ends: "disk",
	},
	{
		name: "a log that was removed and is written on",
		script: `my $x = "x" x (1 << 20); open my $f, ">", "log"; unlink "log"; while (1) { syswrite $f, ` +
			`$x; pace; beyond if ++$n == 100 }`,
		limits: Limits{Disk: 8 << 20}, ends: "disk",
	},
	{
		name:   "many empty files",
		script: `while (1) { open my $f, ">", ++$n; pace if $n % 25 == 0; beyond if $n == 1500 }`,
		limits: Limits{Files: 150}, ends: "files",
	},
	{
		name:   "folders in folders",
		script: `while (1) { mkdir "d"; chdir "d"; pace if ++$n % 25 == 0; beyond if $n == 1500 }`,
		limits: Limits{Files: 150}, ends: "files",
	},
	{
		name:   "output",
		script: `my $x = "x" x (1 << 20); while (1) { print $x; beyond if ++$n == 400 }`,
		limits: Limits{Output: 1 << 20}, ends: "output",
	},
	{
		name:   "errors",
		script: `my $x = "x" x (1 << 20); while (1) { print STDERR $x; beyond if ++$n == 40 }`,
		limits: Limits{Output: 1 << 20}, ends: "output",
	},
	{
		name:   "processor time",
		script: `while (1) { beyond if ++$n % 1000 == 0 && (times)[0] > $far }`,
		limits: Limits{Time: 250 * time.Millisecond}, ends: "time", far: [2]float64{0.6, 60},
	},
	{
		name: "no signal ends it",
		script: `$SIG{$_} = "IGNORE" for qw(TERM INT HUP QUIT ALRM PIPE XCPU); while (1) { pace; ` +
			`beyond if ++$n > 100 * $far }`,
		limits: Limits{Time: 250 * time.Millisecond}, ends: "time", far: [2]float64{2, 60},
	},
	{
		name:   "descriptors",
		script: `while (open my $f, "<", "/dev/null") { push @f, $f; beyond if @f == 6000 } exit 1`,
		ends:   "", own: true,
	},
	{
		name: "children that hold the output", // and the command ends once they have left its process group
		script: `for (1 .. 5) { my $p = fork; if ($p) { waitpid $p, 0; next } setpgrp; close STDIN; ` +
			`fork and exit; sleep $far; beyond } exit 1`,
		ends: "", own: true, far: [2]float64{1, 60},
	},
}

// command returns the Cmd of the bomb in a new workspace, with $far set to far. The mark is an
// argument of all its processes.
func (b bomb) command(t *testing.T, s *Sandbox, m mark, l Limits, far float64) *Cmd {
	t.Helper()
	c := s.Command(bombed(t, s), "perl", "-e", pace+fmt.Sprintf("our $far = %v; ", far)+b.script, string(m))
	c.Limits = mergeLimits(l, wide)
	return c
}

// mergeLimits returns l with the values of wide for its zero fields.
func mergeLimits(l, wide Limits) Limits {
	return Limits{
		Time:      cmp.Or(l.Time, wide.Time),
		Memory:    cmp.Or(l.Memory, wide.Memory),
		Processes: cmp.Or(l.Processes, wide.Processes),
		FileSize:  cmp.Or(l.FileSize, wide.FileSize),
		Output:    cmp.Or(l.Output, wide.Output),
		Disk:      cmp.Or(l.Disk, wide.Disk),
		Files:     cmp.Or(l.Files, wide.Files),
	}
}

// bombed returns a workspace that is removed after the test even if its folders are nested very deep.
func bombed(t *testing.T, s *Sandbox) string {
	t.Helper()
	dir := workspace(t, s)
	t.Cleanup(func() {
		for range 100_000 { // moves the folders of the chain up, one step each
			inner, err := os.ReadDir(filepath.Join(dir, "d"))
			if err != nil || len(inner) == 0 {
				break
			}
			require.NoError(t, os.Rename(filepath.Join(dir, "d", "d"), filepath.Join(dir, "next")))
			require.NoError(t, os.Remove(filepath.Join(dir, "d")))
			require.NoError(t, os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "d")))
		}
	})
	return dir
}

// A listener calls heard when "beyond" is printed, and keeps nothing else.
type listener struct {
	heard func()
	tail  []byte
	bytes int64
}

// Write also finds a "beyond" that is split between two writes.
func (l *listener) Write(p []byte) (int, error) {
	l.bytes += int64(len(p))
	all := append(l.tail, p[:min(len(p), 16)]...)
	if bytes.Contains(all, []byte("\nbeyond\n")) || bytes.Contains(p, []byte("\nbeyond\n")) {
		l.heard()
	}
	l.tail = append(l.tail[:0:0], p[max(0, len(p)-16):]...)
	return len(p), nil
}

// marked returns the perl processes with the mark on the whole machine.
func (m mark) marked() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		line, _ := os.ReadFile(file)
		if bytes.HasSuffix(line, []byte("\x00"+string(m)+"\x00")) && bytes.Contains(line, []byte("perl")) {
			var pid int
			fmt.Sscanf(file, "/proc/%d/", &pid) //nolint:errcheck // the glob matched
			pids = append(pids, pid)
		}
	}
	return pids
}

// Every bomb is stopped by its limit, none of its processes is left, and the next command works. An
// ordinary user has no control groups: as one, only the bombs that these would count are run,
// unless BOBBIN_EVERY is set.
func TestEveryBombIsStopped(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		bare := *s
		bare.groups = nil
		for _, b := range bombs {
			counted := b.limits.Memory > 0 || b.limits.Processes > 0
			if again && !counted && !every {
				continue
			}
			t.Run(b.name, func(t *testing.T) { b.stopped(t, s) })
			if s.groups != nil && counted {
				t.Run(b.name+", without control groups", func(t *testing.T) { b.stopped(t, &bare) })
			}
		}
		most := ownMemory(t)
		t.Logf("this process had %d MB at the most", most>>20)
		require.Less(t, most, int64(300<<20), "the program itself stays small")
	})
}

func (b bomb) stopped(t *testing.T, s *Sandbox) {
	m := newMark()
	c := b.command(t, s, m, b.limits, b.far[1])
	said := false
	l := &listener{heard: func() { said = true }}
	c.Stdout = l
	c.Stderr = l
	err := c.Run(t.Context())
	var exit *ExitError
	require.ErrorAs(t, err, &exit)
	require.Contains(t, strings.Split(b.ends, ","), exit.Reason)
	require.NotZero(t, exit.Code)
	measured := b.limits.Disk > 0 || b.limits.Files > 0 || b.watch && s.groups == nil
	if !measured { // how far a command gets between two measurements depends on the machine's speed
		require.False(t, said, "it came beyond its limit")
	}
	require.Empty(t, m.marked(), "processes are left")
	next := s.Command(c.Workspace, "sh", "-c", "echo fine > fine && cat fine")
	next.Limits = c.Limits
	next.Limits.Time = 10 * time.Minute
	out, err := output(t, next)
	require.NoError(t, err)
	require.Equal(t, "fine", out)
}

// The control: with wide limits, each bomb exceeds the limit. It shows that a bomb is one, so one kind is
// enough; BOBBIN_EVERY runs each bomb in every kind.
func TestNoBombIsStoppedWithoutItsLimit(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		for i, b := range bombs {
			if !hasTurn(s, i) {
				continue
			}
			t.Run(b.name, func(t *testing.T) {
				in := s
				if b.own {
					in = openUnconfined(t)
				}
				b.goesOn(t, in)
			})
		}
		require.Less(t, ownMemory(t), int64(300<<20), "nor does it keep what it is told")
	})
}

func (b bomb) goesOn(t *testing.T, s *Sandbox) {
	m := newMark()
	t.Cleanup(func() {
		for _, pid := range m.marked() {
			syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // they are ours
		}
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	beyond := errors.New("beyond")
	c := b.command(t, s, m, b.loose, b.far[0])
	l := &listener{heard: func() { cancel(beyond) }}
	c.Stdout = l
	c.Stderr = l
	err := c.Run(ctx)
	require.Equal(t, beyond, context.Cause(ctx), "it ended before: %v", err)
}

// ownMemory returns the peak memory of this process in bytes.
func ownMemory(t *testing.T) (most int64) {
	t.Helper()
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	for line := range strings.Lines(string(status)) {
		if n, err := fmt.Sscanf(line, "VmHWM: %d kB", &most); n == 1 && err == nil {
			return most << 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}
