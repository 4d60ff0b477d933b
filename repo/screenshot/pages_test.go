package screenshot

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

func TestPagesOnWhichAChangeIsSeen(t *testing.T) {
	t.Parallel()
	files := repotest.Files{
		"web/cart.html":      `<link rel=stylesheet href=cart.css><a href="list.html">`,
		"web/list.html":      `<link rel="stylesheet" href="/shared/all.css?v=2">`,
		"web/about.html":     `<p>tokens.css is not used here`,
		"web/cart.css":       `@import "tokens.css";`,
		"web/shared/all.css": `@import url(../tokens.css); @import 'all.css';`,
		"web/tokens.css":     `:root { --accent: red }`,
		"web/app.html":       `<script type="module" src="./js/app.js"></script>`,
		"web/js/app.js":      `import { total } from "./cart.mjs"; import "https://cdn.example/x.js"`,
		"web/js/cart.mjs":    `export const total = () => fetch('/prices.json')`,
		"web/prices.json":    `{}`,
	}
	list := slices.Sorted(maps.Keys(files))
	for _, c := range []struct{ changed, pages []string }{
		{[]string{"web/cart.css"}, []string{"web/cart.html"}},
		{[]string{"web/tokens.css"}, []string{"web/cart.html", "web/list.html"}},
		{[]string{"web/prices.json"}, []string{"web/app.html"}},
		{[]string{"web/js/cart.mjs", "web/list.html"}, []string{"web/list.html", "web/app.html"}},
		{[]string{"main.go", "web/none.css"}, nil},
	} {
		require.Equal(t, c.pages, Pages(reader(files), list, c.changed, 3), c.changed)
	}
	require.Len(t, Pages(reader(files), list, []string{"web/tokens.css"}, 1), 1)
	require.True(t, IsForeign("web/node_modules"))
	require.False(t, IsForeign("web"))
}

func FuzzPages(f *testing.F) {
	f.Add(`<link href="../a.css"><script src='/x/y.js?z'>`, `@import url(a.css)`)
	f.Fuzz(func(t *testing.T, page, sheet string) {
		files := repotest.Files{"web/a.html": page, "web/a.css": sheet, "web/b.css": sheet}
		for _, p := range Pages(reader(files), []string{"web/a.html"}, []string{"web/b.css"}, 3) {
			if p != "web/a.html" {
				t.Fatalf("%q is no page", p)
			}
		}
		s := site{read: reader(files), page: "web/a.html"}
		if content, _, status := s.answer(page); status == 200 && string(content) != page &&
			string(content) != sheet {
			t.Fatalf("%q is answered with %q", page, content)
		}
	})
}

// FuzzBrowser checks that arbitrary output in place of the browser's gives a picture that can be read, or
// an error.
func FuzzBrowser(f *testing.F) {
	f.Add([]byte(`{"id":1,"result":{"targetId":"T"}}` + "\x00" + `{"method":"Fetch.requestPaused",` +
		`"params":{"requestId":"1","request":{"url":"http://pages.invalid/a.html"}}}` + "\x00" + `{"id":2}`))
	f.Add([]byte("\x00\x00{"))
	f.Fuzz(func(t *testing.T, said []byte) {
		b := newBrowser(io.Discard, bytes.NewReader(said), site{
			read: reader(repotest.Files{"a.html": "x"}),
			page: "a.html",
		})
		picture, err := b.shoot()
		if err == nil && len(picture) == 0 {
			t.Fatalf("%q gives no picture, and no reason", said)
		}
		for range b.received {
		}
	})
}
