package tool

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

var (
	// numberName matches #412, shop#412 and, at GitLab, !7.
	numberName = regexp.MustCompile(`^([\w.-]*(?:/[\w.-]+)*)[#!]([1-9]\d{0,8})$`)
	// ancestorName matches HEAD~3, main^ and c0ffee12^2~1.
	ancestorName = regexp.MustCompile(`^([^~^]+)((?:~\d{0,4}|\^\d{0,2})+)$`)
	ancestorStep = regexp.MustCompile(`([~^])(\d*)`)

	commitPath = regexp.MustCompile(`/commits?/([0-9a-fA-F]{7,64})/?$`)
)

// passInstead says what names a commit in any repository.
const passInstead = "pass the hash of a commit, a branch, a tag, or a..b"

// resolve returns the hash of the commit that people or models name: by a branch, a tag, a hash, HEAD (the
// workspace's base), an ancestor of these (main~3), the number of a merged pull request, or an address of
// this repository.
func (cr commitReader) resolve(ctx context.Context, name string) (string, error) {
	name = strings.Trim(strings.TrimSpace(name), "<>`\"'")
	if name == "" || name == "HEAD" || name == "@" {
		return cr.workspace.Base(), nil
	}
	hash, err := cr.mirror.Commits().Resolve(name)
	if err == nil {
		return hash, nil
	}
	if strings.Contains(name, "://") {
		return cr.atAddress(ctx, name)
	}
	if m := numberName.FindStringSubmatch(name); m != nil {
		if !cr.isOwn(m[1]) {
			return "", model.Mistakef("%s is of another repository, whose history is not here.",
				plaintext.QuoteLine(name))
		}
		return cr.pullRequest(ctx, m[2])
	}
	if m := ancestorName.FindStringSubmatch(name); m != nil {
		return cr.ancestor(ctx, m[1], m[2])
	}
	return "", notThere(ctx, err)
}

// ancestor returns the commit to which the steps (~2^) lead from a commit.
func (cr commitReader) ancestor(ctx context.Context, name, steps string) (string, error) {
	hash, err := cr.resolve(ctx, name)
	if err != nil {
		return "", err
	}
	for _, step := range ancestorStep.FindAllStringSubmatch(steps, -1) {
		n := 1
		if step[2] != "" {
			n, _ = strconv.Atoi(step[2])
		}
		times := n
		parent := 0
		if step[1] == "^" {
			times = min(n, 1)
			parent = n - 1
		}
		for range times {
			parents, _, err := cr.mirror.Commits().Parents(hash)
			switch {
			case err != nil:
				return "", notThere(ctx, err)
			case ctx.Err() != nil:
				return "", ctx.Err()
			case parent >= len(parents):
				return "", model.Mistakef("The history here does not go back to %s%s.",
					plaintext.QuotePath(name), steps)
			}
			hash = parents[parent]
		}
	}
	return hash, nil
}

// pullRequest returns the newest commit that names the pull request, as hosts write it when they merge one.
func (cr commitReader) pullRequest(ctx context.Context, number string) (string, error) {
	n, _ := strconv.Atoi(number)
	c, found, err := cr.mirror.Commits().Find(ctx, cr.workspace.Base(),
		func(c git.Commit) bool { return c.PullRequest() == n })
	switch {
	case err != nil:
		return "", notThere(ctx, err)
	case !found:
		return "", model.Mistakef("No commit here names the pull request %s: it is an issue, or not merged "+
			"into the base, or its commits do not say so. To look further, %s.", number, passInstead)
	}
	return c.Hash, nil
}

// atAddress returns the commit to which an address of this repository leads. The hash in an address of a
// commit is looked up whosever address it is.
func (cr commitReader) atAddress(ctx context.Context, address string) (string, error) {
	unknown := model.Mistakef("That address leads to no commit of this repository that can be found here: "+
		"%s.", passInstead)
	u, err := url.Parse(address)
	if err != nil {
		return "", unknown
	}
	if m := commitPath.FindStringSubmatch(u.Path); m != nil {
		hash, err := cr.mirror.Commits().Resolve(m[1])
		if err != nil {
			return "", notThere(ctx, err)
		}
		return hash, nil
	}
	switch p := cr.pageAt(address); p.Kind {
	case host.APull:
		return cr.pullRequest(ctx, strconv.FormatInt(p.Number, 10))
	case host.ACommit, host.ABranch, host.AFolder, host.AFile:
		if hash, err := cr.mirror.Commits().Resolve(p.Ref); p.Ref != "" && err == nil {
			return hash, nil
		}
	}
	return "", unknown
}

// pageAt returns what an address of this repository shows; it is empty for any other.
func (cr commitReader) pageAt(address string) host.Page {
	path, fragment, _ := host.BelowPage(cr.page, address)
	p, _ := host.ReadPage(path, fragment)
	return p
}

// isOwn reports whether the name before a number is that of this repository, or none.
func (cr commitReader) isOwn(name string) bool {
	return name == "" || strings.EqualFold(name, cr.mirror.Commits().Repository) ||
		strings.EqualFold(name, cr.pathAtHost())
}

// pathAtHost returns the path of the repository's page, acme/shop; it is empty if that is not known.
func (cr commitReader) pathAtHost() string {
	u, err := url.Parse(cr.page)
	if err != nil {
		return ""
	}
	return strings.Trim(u.Path, "/")
}

// splitRange returns the two ends of a..b, of a...b, and of an address that compares two commits.
func (cr commitReader) splitRange(text string) (from, to string, ok bool) {
	text = strings.Trim(strings.TrimSpace(text), "<>`\"'")
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		p := cr.pageAt(text)
		if p.Kind != host.APage || p.Ref == "" {
			return "", "", false
		}
		text = p.Ref
	}
	from, to, ok = strings.Cut(text, "..")
	return from, strings.TrimPrefix(to, "."), ok
}

// looksLikeTime reports whether a text that is no time with a zone was meant as a time.
func looksLikeTime(text string) bool {
	return strings.Contains(text, " ") || dateFirst.MatchString(text) ||
		slices.Contains([]string{"now", "today", "yesterday"}, strings.ToLower(text))
}

var dateFirst = regexp.MustCompile(`^\d{4}-\d\d|^\d\d?:\d\d|^\d{1,2}\s?[ap]m\b`)
