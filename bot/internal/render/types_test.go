package render_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/repo/build/npmtest"
)

// TestSlacksOwnTypes checks every message of the gallery, and every App Home, against the types that Slack
// publishes for Node programs, @slack/types. TypeScript refuses keys that a type does not have, too.
func TestSlacksOwnTypes(t *testing.T) {
	t.Parallel()
	modules := npmtest.Modules(t, "types")
	require.Empty(t, compileTypes(t, modules, gallerySource(t)))
	wrong := `const m0: KnownBlock[] = [{"type": "section", "text": {"type": "mrkdwn", "text": 1}}];` +
		`const m1: KnownBlock[] = [{"type": "context", "elements": [], "small": true}];`
	said := compileTypes(t, modules, typesHead+wrong)
	require.Contains(t, said, "Type 'number' is not assignable to type 'string'", "the control")
	require.Contains(t, said, `"small"' does not exist`, "the control")
}

// TestSlacksLimits checks every file of the gallery against Slack's limits, also one that no test writes any
// more.
func TestSlacksLimits(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "gallery", "*", "*.json"))
	require.NoError(t, err)
	require.Greater(t, len(files), 100)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		var message struct {
			Blocks json.RawMessage
			Text   string
		}
		require.NoError(t, json.Unmarshal(raw, &message), name)
		args := url.Values{"blocks": {string(message.Blocks)}, "text": {message.Text}}
		if filepath.Base(filepath.Dir(name)) == "home" {
			args = url.Values{"view": {string(raw)}}
		}
		again, err := slacktest.Picture(slacktest.Request{Args: args})
		require.NoError(t, err, name)
		require.Equal(t, string(raw), string(again), name)
	}
}

const typesHead = "import type { HomeView, KnownBlock } from \"@slack/types\";\n"

// gallerySource returns a TypeScript source that declares each message of the gallery with its type.
func gallerySource(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "gallery", "*", "*.json"))
	require.NoError(t, err)
	require.Greater(t, len(files), 100)
	var b strings.Builder
	b.WriteString(typesHead)
	for i, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		var message struct {
			Blocks json.RawMessage `json:"blocks"`
		}
		require.NoError(t, json.Unmarshal(raw, &message), name)
		kind := "KnownBlock[]"
		value := message.Blocks
		if filepath.Base(filepath.Dir(name)) == "home" {
			kind = "HomeView"
			value = raw
		}
		require.NotEmpty(t, value, name)
		fmt.Fprintf(&b, "// %s\nconst m%d: %s = %s;\n", name, i, kind, value)
	}
	return b.String()
}

// compileTypes returns what TypeScript says of a source.
func compileTypes(t *testing.T, modules, source string) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.Symlink(modules, filepath.Join(folder, "node_modules")))
	file := filepath.Join(folder, "gallery.ts")
	require.NoError(t, os.WriteFile(file, []byte(source), 0o644))
	tsc := exec.CommandContext(t.Context(), "node", filepath.Join(modules, "typescript", "bin", "tsc"),
		"--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--moduleResolution", "nodenext",
		"--preserveSymlinks", file)
	said, err := tsc.CombinedOutput()
	if err == nil {
		require.Empty(t, string(said))
	}
	return string(said)
}
