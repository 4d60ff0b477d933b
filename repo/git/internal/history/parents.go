package history

import (
	"errors"
	"regexp"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// Parents returns the hashes of a commit's parents. cut is true if the store lacks some of them, as at
// the end of a shallow clone; those are left out.
func Parents(s *objects.Store, c *object.Commit) (parents []string, cut bool, err error) {
	for _, h := range c.ParentHashes {
		_, err := s.Commit(h)
		switch {
		case errors.Is(err, plumbing.ErrObjectNotFound):
			cut = true
		case err != nil:
			return nil, false, err
		default:
			parents = append(parents, h.String())
		}
	}
	return parents, cut, nil
}

// pullRequests matches the ways in which hosts write the number of a pull or merge request into its
// commit: a merge at GitHub, a squash there and elsewhere, a merge at GitLab.
var pullRequests = []*regexp.Regexp{
	regexp.MustCompile(`^Merge pull request #(\d{1,9})\b`),
	regexp.MustCompile(`\(#(\d{1,9})\)$`),
	regexp.MustCompile(`\(!(\d{1,9})\)$`),
	regexp.MustCompile(`(?m)^See merge request \S*!(\d{1,9})$`),
}

// PullRequest returns the number of the pull request that the commit names, or 0 if it names none.
func (c Commit) PullRequest() int {
	for i, p := range pullRequests {
		text := c.Subject
		if i == len(pullRequests)-1 {
			text = c.Body
		}
		if m := p.FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(m[1])
			return n
		}
	}
	return 0
}
