package host

import "testing"

// FuzzRules reads rules and commits of a host that sends anything: nothing panics, no text matches a pattern
// and its opposite, and no commit counts whose bytes have not its hash.
func FuzzRules(f *testing.F) {
	f.Add("^fix/", "regex", "bobbin/x", "tree a\n\nfix", "-----BEGIN")
	f.Fuzz(func(t *testing.T, pattern, how, text, payload, signature string) {
		p := Pattern{Text: pattern, How: how}
		matches, known := p.Matches(text)
		p.Not = true
		unlike, _ := p.Matches(text)
		if known && matches == unlike {
			t.Fatalf("%q matches %q and its opposite", text, pattern)
		}
		var made gitHubMade
		made.SHA = "0123456789012345678901234567890123456789"
		made.Verification.Payload = payload
		made.Verification.Signature = signature
		if _, err := NewGitHub(GitHubConfig{}).rebuild(made); err == nil {
			t.Fatal("a commit with another hash was taken")
		}
	})
}
