package sandbox

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/unconfined"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user/usertest"
)

// ctxForever is the context of programs that are killed.
var ctxForever = context.Background()

func TestKindsThatAreNotThere(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), Config{Kind: "chroot"})
	var u *Unavailable
	require.ErrorAs(t, err, &u)
	require.Equal(t, "chroot", u.Kind)
	require.Contains(t, err.Error(), "namespaces, gvisor", "it says what there is")
}

func TestAutoTakesTheFirstThatHolds(t *testing.T) {
	t.Parallel()
	want := KindNamespaces
	if opened()[KindBubblewrap] != nil {
		want = KindBubblewrap
	}
	for _, kind := range []string{"", "auto"} {
		s, err := Open(t.Context(), Config{Kind: kind})
		require.NoError(t, err)
		require.Equal(t, want, s.Kind())
	}
}

func TestDescribe(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		require.True(t, strings.HasPrefix(s.Describe(), s.Kind()))
		require.Contains(t, s.Describe(), "seccomp, no network")
		require.Contains(t, s.Describe(), "uid ")
		if s.groups == nil {
			require.Contains(t, s.Describe(), "rlimits")
		} else {
			require.Contains(t, s.Describe(), "by cgroup v")
		}
	})
}

func TestNoneSaysThatItIsOff(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s, err := Open(t.Context(), Config{Kind: KindNone, Log: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	require.Contains(t, log.String(), "level=WARN")
	require.Contains(t, log.String(), "unconfined")
	require.Contains(t, s.Describe(), "not confined")
}

func TestNoneRunsWithACleanEnvironment(t *testing.T) {
	t.Setenv("BOBBIN_TEST_TOKEN", "canary")
	s := openUnconfined(t)
	dir, cache := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	c := s.Command(dir, "sh", "-c", "pwd; env; exit 4")
	c.Dir, c.Env = "sub", []string{"GOCACHE=/cache/go/x"}
	c.Mounts = []Mount{{Host: cache, Inside: "/cache/go"}}
	out, err := output(t, c)
	var exit *ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 4, exit.Code)
	require.Contains(t, out, dir+"/sub")
	require.Contains(t, out, "GOCACHE="+cache+"/x", "paths of mounts are those of the machine")
	require.NotContains(t, out, "canary")
	require.NotContains(t, out, "HOME=/home/box")
}

func TestNoneEndsWhatItCan(t *testing.T) {
	t.Parallel()
	s := openUnconfined(t)
	c := s.Command(t.TempDir(), "sh", "-c", "sleep 600 | cat")
	c.Limits.Time = 200 * time.Millisecond
	_, err := output(t, c)
	require.Equal(t, "time", reason(t, err))
	out, err := output(t, s.Command(t.TempDir(), "nosuchprogram"))
	require.ErrorContains(t, err, "127")
	require.Contains(t, out, "nosuchprogram")
}

func TestCures(t *testing.T) {
	t.Parallel()
	cases := []struct {
		why   string
		facts hostFacts
		want  string
	}{
		{"no space left on device", hostFacts{spaces: "0"}, "user.max_user_namespaces"},
		{"operation not permitted", hostFacts{clone: "0"}, "kernel.unprivileged_userns_clone=1"},
		{"operation not permitted", hostFacts{apparmor: true}, "kernel.apparmor_restrict_unprivileged_userns=0"},
		{"operation not permitted", hostFacts{container: true}, "--security-opt seccomp=unconfined"},
		{"protect /usr: this kernel does not know the call", hostFacts{}, "Linux 5.13"},
		{"anything", hostFacts{}, "allow unprivileged user name spaces"},
	}
	for _, c := range cases {
		got := findCure(c.why, c.facts)
		require.Contains(t, got, c.want)
		require.NotContains(t, got, "\n")
	}
}

// A sham is a backend that claims to confine but does not.
type sham struct{ backend.Backend }

func (s sham) Start(j *backend.Job) (backend.Process, error) {
	j.Args[0] = "/proc/self/exe"
	return s.Backend.Start(j)
}

// Open does not return a backend that does not confine, and the error has the reason and a remedy.
func TestFailsClosed(t *testing.T) {
	t.Parallel()
	s := &Sandbox{kind: KindNamespaces, backend: sham{unconfined.Open()}}
	err := s.runProbes(t.Context())
	var u *Unavailable
	require.ErrorAs(t, err, &u)
	require.Contains(t, u.Why, "probes did not hold")
	require.Contains(t, u.Why, "loopback of the machine: connected to 127.0.0.1")
	require.Contains(t, u.Cure, "another kind")
	require.NotContains(t, err.Error(), "\n")
}

// With a kernel that does not allow new name spaces, the program says so in one line.
func TestKernelWithoutNameSpaces(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("unshare"); err != nil {
		t.Skip("there is no unshare to make such a kernel with")
	}
	// A new user name space in which the maximum number of further ones is set to 0.
	cmd := exec.Command("unshare", "-Urpf", "--mount-proc", "sh", "-c",
		`echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" -test.run '^TestSayUnavailable$' -test.v`, executable(t))
	cmd.Env = append(os.Environ(), "BOBBIN_TEST_UNAVAILABLE=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "user.max_user_namespaces")
	require.Contains(t, string(out), "sandbox namespaces: new name spaces:")
}

// In a container with root as the only user, root is an ordinary user of the machine and is confined like
// one.
func TestRootWhoIsAlone(t *testing.T) {
	t.Parallel()
	uid, gid := user.CommandUser()
	dir := usertest.Directory(t)
	again := exec.Command("/proc/self/exe", "-test.run", "^(TestEveryProbeHolds|TestWorkspaceIsShared|TestKillOfTheProgramLeavesNothing)$", "-test.v")
	again.Dir, again.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir, "BOBBIN_TEST_AGAIN=all")
	again.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: 1}},
		Credential:  &syscall.Credential{NoSetGroups: true},
	}
	out, err := again.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestEveryProbeHolds/namespaces")
}

// A program that has made itself non-dumpable can confine commands, and is non-dumpable again afterwards.
func TestSealedProgram(t *testing.T) {
	t.Parallel()
	again := exec.Command("/proc/self/exe", "-test.run", "^TestSealed$", "-test.v")
	dir := usertest.Directory(t)
	again.Dir, again.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir, "BOBBIN_TEST_SEALED=1")
	if user.RunsAsRoot() {
		again.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user.OutsideID, Gid: user.OutsideID}}
	}
	out, err := again.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestSealed")
}

// TestSealed is run by TestSealedProgram, as an ordinary user.
func TestSealed(t *testing.T) {
	if os.Getenv("BOBBIN_TEST_SEALED") == "" {
		return
	}
	require.NoError(t, unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
	uid := os.Getuid()
	plain := exec.Command("/usr/bin/true") // the control
	plain.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: uid, Size: 1}}}
	require.ErrorIs(t, plain.Run(), syscall.EACCES)
	for kind, s := range opened() {
		said, err := shell(t, s, "id -u")
		require.NoError(t, err, kind)
		require.NotEmpty(t, said, kind)
		dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
		require.NoError(t, err)
		require.Zero(t, dumpable, kind)
	}
}

// TestSayUnavailable is run by TestKernelWithoutNameSpaces.
func TestSayUnavailable(t *testing.T) {
	if os.Getenv("BOBBIN_TEST_UNAVAILABLE") == "" {
		return
	}
	_, err := Open(t.Context(), Config{Kind: KindNamespaces})
	var u *Unavailable
	require.ErrorAs(t, err, &u)
	require.NotContains(t, err.Error(), "\n")
	t.Log(err)
}

// bwrap starts the command beside its own first process, which confines itself last. Under load, one command
// in fifty ran before that. BOBBIN_EVERY runs fifty.
func TestFirstProcessIsConfinedBeforeTheCommandRuns(t *testing.T) {
	t.Parallel()
	times := 8
	if every {
		times = 50
	}
	for _, kind := range []string{KindNamespaces, KindBubblewrap} { // the other kinds take long to start
		s := opened()[kind]
		if s == nil {
			continue
		}
		dir := workspace(t, s)
		for range times {
			out, err := output(t, s.Command(dir, "grep", "-E", "^(Seccomp|CapEff):", "/proc/1/status"))
			require.NoError(t, err, out)
			require.Equal(t, "CapEff:\t0000000000000000\nSeccomp:\t2", out, kind)
		}
	}
}

// executable returns the path of this program.
func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return path
}

// TestAsAnOrdinaryUser runs the tests again as a user who is not root. In the slower kinds, it runs only the
// tests that depend on the user.
func TestAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	out := runAsOrdinary(t, "fast", "^Test")
	require.Contains(t, out, "--- PASS: TestEveryProbeHolds/namespaces")
	require.NotContains(t, out, "--- SKIP")
	for _, kind := range []string{KindGVisor, KindDocker} {
		if opened()[kind] != nil {
			out := runAsOrdinary(t, "all", "^(TestEveryProbeHolds|TestWorkspaceIsShared|TestKillOfTheProgramLeavesNothing|TestNothingStays)$")
			require.Contains(t, out, "--- PASS: TestEveryProbeHolds/"+kind)
		}
	}
}

func runAsOrdinary(t *testing.T, kinds, tests string) string {
	t.Helper()
	return usertest.Rerun(t, []string{"BOBBIN_TEST_AGAIN=" + kinds}, "-test.run", tests, "-test.parallel", "2",
		"-test.skip", "TestBuildsGo|TestCgo|TestAsAnOrdinaryUser|TestAutoTakes|TestKernel|TestRootWho|TestGVisor|TestImage|TestEngineThatDoes|TestNoBomb")
}

// With cgo, go-landlock looks for all threads in /proc, and searches a stale /proc for ever. Both builds must
// be able to start a command.
func TestCgo(t *testing.T) {
	for _, cgo := range []string{"0", "1"} {
		t.Run(cgo, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("cc"); err != nil && cgo == "1" {
				t.Skip("there is no C compiler")
			}
			binary := filepath.Join(t.TempDir(), "hello")
			build := exec.Command("go", "build", "-ldflags=-s", "-o", binary, "./testdata/hello")
			build.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
			out, err := build.CombinedOutput()
			require.NoError(t, err, "%s", out)
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			out, err = exec.CommandContext(ctx, binary, t.TempDir()).CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Equal(t, "hello from 1000\n", string(out))
		})
	}
}
