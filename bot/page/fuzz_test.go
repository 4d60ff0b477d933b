package page

import "testing"

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
	})
}
