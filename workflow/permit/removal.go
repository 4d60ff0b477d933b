package permit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A Removal is what the program took out of a change, since it stands outside the scope of
// its approval. Whoever may approve puts back exactly that, and nothing else, by its hash.
type Removal struct {
	Hash     string
	Approval string
	Revision int   // that the approval is of
	Task     int64 // whose claim it was taken out of; 0: of the whole work
	Hunks    []RemovedHunk
	With     string // the tree before it was taken out
	Without  string // and after
	Pack     []byte // what it takes to have both on any machine
	// Who had it put back, and by which message; empty: nobody yet.
	User, UserName, MessageTS string
	Laid                      bool // it stands in the files again, or whoever works was told to make it anew
}

// A RemovedHunk is one of the places that were taken out.
type RemovedHunk struct {
	Place string // `path:line` +2 −1
	Why   string // in one line
	Text  string // unified
	Sum   string // of its path and of the lines that change, wherever in the file they stand
}

// RemovalHash names what is taken out under an approval: the files with it and without it.
func RemovalHash(approval, with, without string) string {
	sum := sha256.Sum256([]byte(approval + "\x00" + with + "\x00" + without))
	return hex.EncodeToString(sum[:])
}

// HunkSum is the sum of a hunk: the same wherever in the file it stands by now.
func HunkSum(path, kind, mode, text string) string {
	changed := []string{path, kind, mode}
	for _, line := range strings.Split(text, "\n") {
		if kind != "modified" || strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			changed = append(changed, line)
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(changed, "\n")))
	return hex.EncodeToString(sum[:])
}

// mostRemoved is how many places of a removal are named one by one.
const mostRemoved = 20

// List is a line for each place, with the reason.
func (r Removal) List() string {
	return "  • " + strings.Join(r.each(func(h RemovedHunk) string { return h.Place + ": " + h.Why }), "\n  • ")
}

// Places are the places in one line.
func (r Removal) Places() string {
	return strings.Join(r.each(func(h RemovedHunk) string { return h.Place }), ", ")
}

// each says something of the first places, and how many more there are.
func (r Removal) each(say func(RemovedHunk) string) (said []string) {
	for _, h := range r.Hunks[:min(len(r.Hunks), mostRemoved)] {
		said = append(said, say(h))
	}
	if more := len(r.Hunks) - len(said); more > 0 {
		said = append(said, fmt.Sprintf("and %d more", more))
	}
	return said
}

// Diff is the text of what was taken out.
func (r Removal) Diff() string {
	var b strings.Builder
	for _, h := range r.Hunks {
		fmt.Fprintf(&b, "%s\n%s\n", h.Place, strings.TrimRight(h.Text, "\n"))
	}
	return b.String()
}
