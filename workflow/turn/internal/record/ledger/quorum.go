package ledger

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// A Quorum says whose words for something count at this moment, and whose are missing.
type Quorum struct {
	Needed   int                    // distinct people
	By       []workflow.Endorsement // of distinct people, in order; of who just wrote: the last one
	Missing  []string               // who has to say yes, too; nothing if that is everybody
	Mentions []string               // the groups among them
	Files    []string               // the files for which a group has to be among them
	Ended    []store.Part           // words that stopped counting, to be recorded
	Lost     []string               // the same in sentences
}

// Complete reports whether nobody else has to say yes.
func (q Quorum) Complete() bool { return len(q.Missing) == 0 }

// Names returns the names of the people whose words count.
func (q Quorum) Names() (names []string) {
	for _, e := range q.By {
		names = append(names, plaintext.OneLine(e.UserName))
	}
	return names
}

// So returns how many of the needed people have said yes, in brackets, or nothing if one is enough.
func (q Quorum) So() string {
	if q.Needed < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d)", min(len(q.By), q.Needed), q.Needed)
}

// Still says whose words are missing.
func (q Quorum) Still() string { return "Still needed: " + strings.Join(q.Missing, "; ") + "." }
