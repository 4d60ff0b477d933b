package main

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

// logged implements "logged FILE": the JSON log of the bot.
func logged(_ context.Context, s *story) (string, error) { return s.log.String(), nil }

// TestTheLogIsForPeopleOrForMachines checks that each line of the JSON log is an object with the ids that
// it is about, and which levels the text log contains.
func TestTheLogIsForPeopleOrForMachines(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	log := newLogger(&b, false, "json").With("session", "s1")
	log.Debug("tool call")
	log.Info("paused at a limit", "used", "5 USD\nand more")
	var line map[string]any
	require.NoError(t, json.Unmarshal(b.Bytes(), &line), "one line, and no more")
	require.Equal(t, "s1", line["session"])
	require.Equal(t, "INFO", line["level"])
	require.Equal(t, "paused at a limit", line["msg"])

	b.Reset()
	newLogger(&b, false, "text").Info("paused at a limit")
	require.Empty(t, b.String())
	newLogger(&b, true, "text").Debug("tool call")
	require.Contains(t, b.String(), `level=DEBUG msg="tool call"`)

	code, _, errs := call(t, t.Context(), ready(), "serve", "--log-format=xml")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, errs, `--log-format has to be one of text, json, and not "xml"`)
}
