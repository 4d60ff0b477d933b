package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
)

// An endpoint caches the beginning of a request by its bytes, so these are pinned: the order of the fields,
// and what is left out.
func TestTheBytesOfARequest(t *testing.T) {
	t.Parallel()
	e := serve(t, good)
	const signed = `{"google":{"thought_signature":"YQ=="}}`
	shown := []model.Picture{{Media: "image/png", Data: []byte("x")}}
	r := model.Request{
		Model: "o3", Effort: "low", System: "<sys> & more", CacheKey: "session-1",
		Tools: []model.Tool{echo[readFile]("read_file")},
		Messages: []model.Message{
			{Role: model.User, Text: "look", Pictures: shown},
			{Role: model.Assistant, Calls: []model.Call{
				{ID: "a", Name: "check", Args: json.RawMessage(`{"n":1}`), Extra: json.RawMessage(signed)},
				{ID: "b", Name: "check"},
			}},
			{Role: model.ToolRole, CallID: "a", Text: "\u2028 \xff"},
			{Role: model.Assistant, Text: "so", Calls: []model.Call{{ID: "c", Name: "check"}}},
		},
	}
	_, err := e.client(func(c *model.Config) { c.Vision = map[string]bool{"o3": true} }).Ask(t.Context(), r)
	require.NoError(t, err)
	modeltest.Golden(t, strings.ReplaceAll(e.asked()[0], "},{", "},\n{"), "testdata/request.golden")
}
