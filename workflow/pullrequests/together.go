package pullrequests

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

// Pull requests of one thread name each other: see inbox.NewPart for threads with several repositories.

// A together is what the text of a pull request says of the others of its thread.
type together struct{ links, names []string }

// together returns the pull requests of the thread's other repositories that whoever reads the row's
// repository may know of.
func (f *Follower) together(ctx context.Context, row pullrequest.Row) (t together, err error) {
	others, err := f.Rows.InThread(ctx, row.Session)
	for _, o := range others {
		if o.Number == 0 || o.Aside || !f.mayName(ctx, row.Repository, o.Repository) {
			continue
		}
		name := fmt.Sprintf("%s%s%d", o.Repository, f.words(o).Mark, o.Number)
		t.names = append(t.names, name)
		t.links = append(t.links, fmt.Sprintf("[%s](%s)", name, o.URL))
	}
	return t, err
}

// mayName reports whether texts in a repository may name another one: everybody who reads the first may read
// the other. A visibility that a host does not tell counts as public of the first, and as private of the
// other.
func (f *Follower) mayName(ctx context.Context, in, other string) bool {
	own := f.repositoryOf(in)
	named := f.repositoryOf(other)
	if own == nil || named == nil || named.Private || named.MembersOnly {
		return false
	}
	return readers[f.visibility(ctx, named, host.Private)] >= readers[f.visibility(ctx, own, host.Public)]
}

// readers orders visibilities by how many people may read.
var readers = map[host.Visibility]int{host.Private: 1, host.Internal: 2, host.Public: 3}

func (f *Follower) visibility(
	ctx context.Context, r *repository.Repository, unknown host.Visibility,
) host.Visibility {
	v, err := r.Readers(ctx)
	if err != nil {
		f.Log.Warn("who may read a repository is not known", "repository", r.Name, "err", err)
	}
	if err != nil || v == "" {
		return unknown
	}
	return v
}

// text returns the sentence that names them, or an empty string.
func (t together) text() string {
	if len(t.links) == 0 {
		return ""
	}
	return "\n\nThe change goes together with " + strings.Join(t.links, ", ") + "."
}

// wording returns what Row.Worded is once the host has the text of that commit that names them.
func (t together) wording(head string) string {
	return strings.Join(append([]string{head}, t.names...), " ")
}
