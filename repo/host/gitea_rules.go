package host

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
)

// A giteaProtection is a rule for branches, in Gitea's form.
type giteaProtection struct {
	Name   string `json:"rule_name"`
	Signed bool   `json:"require_signed_commits"`
	Push   bool   `json:"enable_push"`
}

// Rules returns what the protection of a branch demands, which only administrators of the repository may
// read.
func (r *GiteaRepository) Rules(ctx context.Context, branch string, pushed bool) (rules Rules, err error) {
	c := r.client
	if pushed && r.fork != nil {
		c = r.fork
	}
	all, err := List[giteaProtection](ctx, c, c.At("/branch_protections"))
	if refusesReading(err) {
		rules.Unread = "the right to administrate the repository"
		return rules, nil
	}
	slices.SortStableFunc(all, func(a, b giteaProtection) int { // a rule for this branch alone comes first
		return cmp.Compare(rank(a.Name == branch), rank(b.Name == branch))
	})
	at := slices.IndexFunc(all, func(one giteaProtection) bool { return coversBranch(one.Name, branch) })
	if at >= 0 {
		rules.Signed = all[at].Signed
		rules.Closed = !all[at].Push
	}
	return rules, err
}

func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// coversBranch reports whether a rule of that name is for a branch. An asterisk stands for what is between
// slashes, and two for anything.
func coversBranch(rule, branch string) bool {
	if before, after, is := strings.Cut(rule, "**"); is {
		return strings.HasPrefix(branch, before) && strings.HasSuffix(branch, after)
	}
	ok, err := path.Match(strings.ToLower(rule), strings.ToLower(branch))
	return err == nil && ok
}

// Fork returns what Gitea says of the fork, or nil if branches are pushed to the repository itself.
func (r *GiteaRepository) Fork(ctx context.Context) (*Fork, error) {
	return readFork(ctx, r.client, r.fork)
}

// KnowsKey reports whether the user of the token has the public key. The user has to verify it, too, which
// Gitea does not say here.
func (r *GiteaRepository) KnowsKey(ctx context.Context, public string) (bool, error) {
	return knownKey(ctx, r.client, "/user/keys?limit=50", public, func(string) bool { return true })
}
