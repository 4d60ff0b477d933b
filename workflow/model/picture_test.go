package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
)

func TestPicturesAreForModelsThatSee(t *testing.T) {
	t.Parallel()
	server := modeltest.Start(t, `
== sees
expect user "[picture data:image/png;base64,…, 3 bytes]"
expect user "Not shown (gone, or the endpoint does not take it): attachment:2."
expect not user "you cannot see pictures"
say a dot
---
== blind
expect not user "[picture"
expect user "Not shown (you cannot see pictures): attachment:1, attachment:2. Nobody has looked at it."
say what is it?
---
== claims
fail 400 {"error": {"message": "image input is not supported by this model"}}
---
expect not user "[picture"
expect user "you cannot see pictures"
say I do not see it
---
== picky
fail 400 {"error": {"message": "Invalid image data: could not be decoded"}}
---
expect not user "[picture"
expect user "the endpoint does not take it"
say not to be seen
---
== small
fail 413 <html><head><title>413 Request Entity Too Large</title></head></html>
---
expect not user "[picture"
say too large to be seen
---
== away
fail 402 no money
---
`)
	c := model.New(model.Config{
		BaseURL:  server.URL,
		Vision:   map[string]bool{"sees": true, "claims": true, "picky": true, "small": true, "away": true},
		Fallback: map[string][]string{"away": {"blind"}},
	})
	ask := func(name string) string {
		r, err := c.Ask(t.Context(), model.Request{Model: name, Messages: []model.Message{{
			Role: model.User,
			Text: "look",
			Pictures: []model.Picture{
				{Ref: "attachment:1", Media: "image/png", Data: []byte("png")},
				{Ref: "attachment:2", Media: "image/png"},
			},
		}}})
		require.NoError(t, err, name)
		return r.Message.Text
	}
	require.Equal(t, "a dot", ask("sees"))
	require.True(t, c.Sees("claims"))
	require.Equal(t, "I do not see it", ask("claims"))
	require.False(t, c.Sees("claims"), "what an endpoint refuses once is not sent again")
	require.Equal(t, "not to be seen", ask("picky"))
	require.True(t, c.Sees("picky"), "one broken picture does not make a model blind")
	require.Equal(t, "too large to be seen", ask("small"),
		"a proxy that takes no large request may take this one")
	require.Equal(t, "what is it?", ask("away"), "whoever stands in is told in words")
	require.False(t, (*model.Client)(nil).Sees("sees"))
}
