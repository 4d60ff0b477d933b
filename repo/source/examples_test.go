package source

import (
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestExamplesOfTheSDK builds two example servers of the official SDK and calls a tool of each over both
// transports. Their tools are not marked read-only, so that allow names them. It is left to make every, since
// building the SDK's examples takes longer than all other tests of this package.
func TestExamplesOfTheSDK(t *testing.T) {
	if os.Getenv("BOBBIN_EVERY") == "" {
		t.Skip("it builds two programs; make every runs it")
	}
	t.Parallel()
	for _, example := range []struct {
		name, tool string
		args       map[string]any
		want       string
	}{
		{"everything", "greet (structured)", map[string]any{"name": "ann"}, `{"message":"Hi ann"}`},
		{
			"memory", "create_entities",
			map[string]any{"entities": []any{map[string]any{
				"name": "refund", "entityType": "bug",
				"observations": nil,
			}}},
			"Entities created successfully\n" +
				`{"entities":[{"entityType":"bug","name":"refund","observations":null}]}`,
		},
	} {
		program := filepath.Join(t.TempDir(), example.name)
		out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program,
			"github.com/modelcontextprotocol/go-sdk/examples/server/"+example.name).CombinedOutput()
		require.NoError(t, err, string(out))
		free, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		address := free.Addr().String()
		require.NoError(t, free.Close())
		server := exec.CommandContext(t.Context(), program, "-http", address)
		require.NoError(t, server.Start())
		t.Cleanup(func() { _ = server.Wait() }) // it is killed at the end of the test's context
		require.Eventually(t, func() bool {
			c, err := net.Dial("tcp", address)
			if err == nil {
				c.Close()
			}
			return err == nil
		}, time.Minute, 10*time.Millisecond)
		for _, c := range []Config{{Command: []string{program}}, {URL: "http://" + address}} {
			c.Name = "sdk"
			c.Tools = []string{example.tool}
			refused, err := New(c, slog.New(slog.DiscardHandler)).Read(t.Context())
			require.NoError(t, err)
			require.Len(t, refused.Refused, 1, "the control")
			c.Allow = c.Tools
			answer, err := call(t, connect(t, New(c, slog.New(slog.DiscardHandler))), example.tool,
				example.args)
			require.NoError(t, err)
			require.Equal(t, Answer{Text: example.want}, answer)
		}
	}
}
