package backport

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
)

// A refusal is an error that ends a backport, with a reason that is posted in the thread.
type refusal struct {
	why     string // the reason in the row
	said    string
	details string // text behind the Details button; empty: no button
}

func (r *refusal) Error() string { return r.why }

// unlessRefused turns an error of the remote that no retry would fix into a refusal. Of one that a retry may
// fix it keeps the text alone: the queue would take a failed connection for one to the database, and try for
// ever. It returns any other error unchanged.
func unlessRefused(row backports.Row, err error) error {
	var no *remote.Error
	switch {
	case !errors.As(err, &no):
		return err
	case isPassing(err):
		return errors.New(err.Error())
	}
	return refused(row, strings.TrimSuffix(no.Reason+". "+no.Cure, ". "))
}

// isPassing reports whether err is an error of the remote that a retry may fix.
func isPassing(err error) bool {
	var no *remote.Error
	return errors.As(err, &no) && no.Retry
}

// refused returns a refusal with the usual sentence for the thread.
func refused(row backports.Row, why string) error {
	return &refusal{
		why:  why,
		said: fmt.Sprintf("%s: %s.", notDone(row), strings.TrimSuffix(why, ".")),
	}
}
