package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/toolchain"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// toolchainRoot returns the bin directory of Go, or "" if commands cannot use it.
func toolchainRoot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	root := strings.TrimSpace(string(out))
	if err != nil || !(toolchain.IsAlwaysShown(root) || user.IsReachable(root)) {
		return ""
	}
	return filepath.Join(root, "bin")
}

// needGo skips the test where Go is installed in a folder, such as a home, that the commands' user cannot
// enter: there commands have no Go to test.
func needGo(t *testing.T) {
	t.Helper()
	if toolchainRoot(t) == "" {
		t.Skip("there is no Go that commands could use")
	}
}

// A small module builds and tests inside, with a read-only build cache: that of the user who runs this test. Without
// go vet, which this cache may not hold: its many packages would be compiled for each kind.
func TestBuildsGo(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		needGo(t)
		cache, err := exec.Command("go", "env", "GOCACHE").Output()
		require.NoError(t, err)
		dir := t.TempDir()
		for name, text := range tiny {
			file, old := filepath.Join(dir, name), time.Now().Add(-time.Hour)
			require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
			require.NoError(t, os.Chtimes(file, old, old)) // the go command treats files differently that were just written
		}
		require.NoError(t, s.Own(dir))
		c := s.Command(dir, "go", "test", "-vet=off", "-v", "-count=1", "./...")
		c.Env = []string{"GOCACHE=/cache/go"}
		c.Mounts = []Mount{{Host: strings.TrimSpace(string(cache)), Inside: "/cache/go"}}
		began := time.Now()
		out, err := output(t, c)
		require.NoError(t, err, out)
		require.Contains(t, out, "--- PASS: TestSum")
		t.Logf("go test took %v", time.Since(began))
	})
}

// Without a mode file, each go command in a new home starts another process, for telemetry. The file belongs
// to the command like the rest of its home.
func TestGoStartsNoTelemetry(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		needGo(t)
		dir := workspace(t, s)
		out, err := output(t, s.Command(dir, "sh", "-c", "go env GOTELEMETRY && cd ~/.config && ls -A go/telemetry && rm go/telemetry/mode && go env GOTELEMETRY && ls -d go/telemetry/local && touch mine"))
		require.NoError(t, err, out)
		require.Equal(t, "off\nmode\nlocal\ngo/telemetry/local", strings.TrimSpace(out), "the control: without the file, telemetry is on and makes a folder")
	})
}

// tiny holds the files of a small module.
var tiny = map[string]string{
	"go.mod": "module tiny\n\ngo 1.26\n",
	"a.go":   "package tiny\n\nfunc Sum(a, b int) int { return a + b }\n",
	"a_test.go": `package tiny

import "testing"

func TestSum(t *testing.T) {
	if Sum(1, 2) != 3 {
		t.Fatal("no sum")
	}
}
`,
}

func BenchmarkStart(b *testing.B) {
	for kind, s := range opened() {
		b.Run(kind, func(b *testing.B) {
			dir := b.TempDir()
			for b.Loop() {
				require.NoError(b, s.Command(dir, "/usr/bin/true").Run(b.Context()))
			}
		})
	}
	b.Run("none", func(b *testing.B) {
		s, err := Open(b.Context(), Config{Kind: KindNone})
		require.NoError(b, err)
		for b.Loop() {
			require.NoError(b, s.Command(b.TempDir(), "/usr/bin/true").Run(b.Context()))
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		_, err := Open(b.Context(), Config{Kind: KindNamespaces})
		require.NoError(b, err)
	}
}
