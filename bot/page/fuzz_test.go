package page

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

func FuzzLink(f *testing.F) {
	l, err := NewLinks("https://bobbin.example.com", "xoxb-1")
	if err != nil {
		f.Fatal(err)
	}
	f.Add("a.b")
	f.Add(l.sign(grant{}))
	f.Fuzz(func(t *testing.T, text string) {
		if g, err := l.read(text); err == nil {
			t.Fatalf("%q is a link of %+v", text, g)
		}
	})
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"path":"a.go","edits":[{"old":"<a>\n"}],"n":1e400}`)
	f.Add(`{`)
	f.Fuzz(func(t *testing.T, args string) {
		if args != "" && args[0] != '{' && readableArguments(args) != args {
			t.Fatalf("%q is shown as %q", args, readableArguments(args))
		}
		if brief := briefArgument(args); strings.Contains(brief, "\n") {
			t.Fatalf("%q is %q in brief", args, brief)
		}
	})
}

// FuzzShownParts checks that the parts which a browser posts are read as hashes by id, and that they are the
// same after encoding and reading again.
func FuzzShownParts(f *testing.F) {
	f.Add(`{"top":"1a","x-1-2-3":"2b"}`)
	f.Add(`{"top":1}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, text string) {
		shown, err := readShown(strings.NewReader(text))
		if err != nil {
			return
		}
		b, err := json.Marshal(shown)
		if err != nil {
			t.Fatal(err)
		}
		again, err := readShown(bytes.NewReader(b))
		if err != nil || !maps.Equal(shown, again) {
			t.Fatalf("%q is read as %v and %v: %v", text, shown, again, err)
		}
	})
}
