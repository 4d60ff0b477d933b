package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type embedded struct{ BaseCommit string }

type printed struct {
	ID, MessageTS string
	embedded
	SpentUSD float64
	Body     json.RawMessage
	At       time.Time
	Left     []embedded
	Names    map[string]embedded
	Next     *printed
	Old      string `json:"before,omitempty"`
	Hidden   string `json:"-"`
	secret   string
}

func TestKeysAreSnakeCase(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, WriteJSON(&out, []printed{{
		ID: "a<b", embedded: embedded{"c"}, Body: json.RawMessage(`{"AsItIs": 1}`),
		Names: map[string]embedded{"Of People": {}}, Hidden: "x", secret: "x",
	}}, ""))
	require.Equal(t, `[{"id":"a<b","message_ts":"","base_commit":"c","spent_usd":0,"body":{"AsItIs":1},`+
		`"at":"0001-01-01T00:00:00Z","left":[],"names":{"Of People":{"base_commit":""}},"next":null}]`+"\n",
		out.String())
	out.Reset()
	require.NoError(t, WriteJSON(&out, printed{Old: "o"}, "  "))
	require.Contains(t, out.String(), "\n  \"before\": \"o\"\n")
	require.Contains(t, out.String(), "\n  \"body\": null,")
	for name, key := range map[string]string{
		"ID": "id", "HTTPAddr": "http_addr", "StartTree": "start_tree", "USD": "usd", "AskedBy": "asked_by",
	} {
		require.Equal(t, key, snakeCase(name))
	}
}
