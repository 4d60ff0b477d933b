package sandbox

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/probe"
)

// wayOut returns the path of a socket with a server, in a folder that only its owner can enter.
func wayOut(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "way-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "out")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	require.NoError(t, os.Chmod(socket, 0o666))
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "asked for "+r.RequestURI+"\n") })}
	go server.Serve(l) //nolint:errcheck // it ends with the test
	t.Cleanup(func() { server.Close() })
	return socket
}

// A command with a way out reaches the socket and nothing else; without one, it reaches nothing.
func TestWayOut(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		socket := wayOut(t)
		ask := func(socket, script string) (string, error) {
			c := s.Command(workspace(t, s), "sh", "-c", script)
			c.ProxySocket, c.Limits.Time = socket, 10*time.Minute
			return output(t, c)
		}
		out, err := ask(socket, "curl -sS http://a.example/b")
		require.NoError(t, err, out)
		require.Equal(t, "asked for http://a.example/b", out)
		for _, script := range []string{
			"curl -sS --noproxy '*' http://198.41.0.4/", // without the proxy
			"curl -sS --unix-socket " + socket + " http://a.example/b",
			"test -e " + filepath.Dir(socket), // the folder of the socket on the machine
			"rm /run/way-out", "mv /run/way-out /tmp/x",
		} {
			out, err = ask(socket, script)
			require.Error(t, err, script+out)
		}
		out, err = ask("", "curl -sS http://a.example/b")
		require.Error(t, err, "the control: without it there is no way: %s", out)

		// The exit code is that of the command itself.
		for script, code := range map[string]int{"exit 7": 7, "kill -TERM $$": 128 + 15, "exec no-such-program": 127} {
			_, err = ask(socket, script)
			var exit *ExitError
			require.ErrorAs(t, err, &exit, script)
			require.Equal(t, code, exit.Code, script)
		}
		_, err = ask(socket, "(sleep 1000 & sleep 1000) & exit 0")
		require.NoError(t, err, "what is left in the background ends with it")
	})
}

// With a way out, all probes still hold.
func TestWayOutLeavesTheWalls(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		b, lifted, err := probe.LayBait(t.TempDir(), s.tools.Dirs, s.backend.Environment())
		require.NoError(t, err)
		defer lifted()
		self, err := os.Open("/proc/self/exe")
		require.NoError(t, err)
		defer self.Close()
		c := s.Command(workspace(t, s), probe.ProgramPath, probe.Marker, b.String())
		c.ProxySocket = wayOut(t)
		c.files = []backend.File{backend.ProgramFile(probe.ProgramPath, self)}
		findings, err := runProbeCommand(t.Context(), c)
		require.NoError(t, err)
		for _, f := range findings {
			require.Empty(t, f.Fault, f.Probe)
		}
	})
}

func TestWayOutUnconfined(t *testing.T) {
	t.Parallel()
	s := openUnconfined(t)
	c := s.Command(t.TempDir(), "sh", "-c", "curl -sS http://a.example/b")
	c.ProxySocket = wayOut(t)
	out, err := output(t, c)
	require.NoError(t, err, out)
	require.Equal(t, "asked for http://a.example/b", out)
	c = s.Command(t.TempDir(), "true")
	c.ProxySocket = "relative"
	require.ErrorContains(t, c.Run(t.Context()), "has to be absolute")
}
