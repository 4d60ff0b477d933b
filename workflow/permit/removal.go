package permit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A Removal is the part of a change that the program took out because it lies outside the scope of
// the approval. A person who may approve can have exactly this part, named by its hash, put back.
type Removal struct {
	Hash     string
	Approval string
	Revision int   // revision that the approval is of
	Task     int64 // task whose claim it was taken out of; 0: the work as a whole
	Hunks    []RemovedHunk
	With     string // the tree before the removal
	Without  string // the tree after the removal
	Pack     []byte // git objects with which any machine can write both trees
	// User and UserName are of the person who had it put back, by
	// the message MessageTS; all are empty before that.
	User, UserName, MessageTS string
	Restored                  bool // it is in the files again, or the agent was told to make it anew
}

// A RemovedHunk is one place of a change that was taken out.
type RemovedHunk struct {
	Place string // `path:line` +2 −1
	Why   string // in one line
	Text  string // unified diff
	Sum   string // hash of the path and the changed lines, wherever in the file they are
}

// RemovalHash returns the hash of an approval and of the trees with and without what is taken out.
func RemovalHash(approval, with, without string) string {
	sum := sha256.Sum256([]byte(approval + "\x00" + with + "\x00" + without))
	return hex.EncodeToString(sum[:])
}

// HunkSum returns the hash of a hunk. It stays the same when the hunk moves within its file.
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

// maxRemoved is how many places of a removal are listed; the others are only counted.
const maxRemoved = 20

// List returns one line for each place, with the reason.
func (r Removal) List() string {
	return "  • " + strings.Join(r.each(func(h RemovedHunk) string { return h.Place + ": " + h.Why }), "\n  • ")
}

// Places returns the places in one line.
func (r Removal) Places() string {
	return strings.Join(r.each(func(h RemovedHunk) string { return h.Place }), ", ")
}

// each returns what say returns for each of the first places, and how many more places there are.
func (r Removal) each(say func(RemovedHunk) string) (said []string) {
	for _, h := range r.Hunks[:min(len(r.Hunks), maxRemoved)] {
		said = append(said, say(h))
	}
	if more := len(r.Hunks) - len(said); more > 0 {
		said = append(said, fmt.Sprintf("and %d more", more))
	}
	return said
}

// Diff returns what was taken out as text, each hunk below its place.
func (r Removal) Diff() string {
	var b strings.Builder
	for _, h := range r.Hunks {
		fmt.Fprintf(&b, "%s\n%s\n", h.Place, strings.TrimRight(h.Text, "\n"))
	}
	return b.String()
}
