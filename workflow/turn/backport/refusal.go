package backport

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
)

// A refusal ends a backport, with the reason for people.
type refusal struct {
	why     string // of the row
	said    string
	details string // behind a button; empty: there is none
}

func (r *refusal) Error() string { return r.why }

// unlessRefused makes a refusal of an error that no further try would mend.
func unlessRefused(row backports.Row, err error) error {
	var no *remote.Error
	if errors.As(err, &no) && !no.Retry {
		return refused(row, strings.TrimSuffix(no.Reason+". "+no.Cure, ". "))
	}
	return err
}

// refused is a refusal in the usual words.
func refused(row backports.Row, why string) error {
	return &refusal{why: why, said: fmt.Sprintf("No backport to %s: %s.", name(cmp.Or(row.Release, row.Wanted)), strings.TrimSuffix(why, "."))}
}
