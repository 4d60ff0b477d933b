package host

import (
	"context"
	"net/url"
	"strings"
)

// pushed returns the client of the repository to which branches are pushed: of the fork if there is one.
func (r *GitHubRepository) pushed() *Client {
	if r.fork != nil {
		return r.fork
	}
	return r.client
}

// A gitHubRule is a rule that counts for a branch, in GitHub's form.
type gitHubRule struct {
	Type       string `json:"type"`
	Ruleset    int64  `json:"ruleset_id"`
	Parameters struct {
		Operator string `json:"operator"`
		Pattern  string `json:"pattern"`
		Negate   bool   `json:"negate"`
	} `json:"parameters"`
}

// Rules returns what GitHub demands of a branch: by rulesets, which everybody may read, and by the protection
// of the branch, which only its administrators may. pushed means a branch of the bot.
func (r *GitHubRepository) Rules(ctx context.Context, branch string, pushed bool) (rules Rules, err error) {
	c := r.client
	if pushed {
		c = r.pushed()
	}
	some, err := List[gitHubRule](ctx, c, c.At("/rules/branches/%s?per_page=100", url.PathEscape(branch)))
	if refusesReading(err) { // an older GitHub Enterprise Server has none
		err = nil
	}
	if err != nil {
		return rules, err
	}
	bypassed := map[int64]bool{}
	for _, one := range some {
		if _, asked := bypassed[one.Ruleset]; !asked {
			bypassed[one.Ruleset] = bypassesRuleset(ctx, c, one.Ruleset)
		}
		if !bypassed[one.Ruleset] {
			rules.addGitHub(one)
		}
	}
	var protection struct {
		Signed struct{ Enabled bool } `json:"required_signatures"`
		Linear struct{ Enabled bool } `json:"required_linear_history"`
	}
	err = c.Get(ctx, c.At("/branches/%s/protection", url.PathEscape(branch)), &protection)
	switch {
	case refusesReading(err) && !pushed:
		rules.Unread = "Administration: read"
	case refusesReading(err):
	case err != nil:
		return rules, err
	}
	rules.Signed = rules.Signed || protection.Signed.Enabled
	rules.Linear = rules.Linear || protection.Linear.Enabled
	return rules, nil
}

// bypassesRuleset reports whether the credential may always bypass a ruleset. One that cannot be read counts.
func bypassesRuleset(ctx context.Context, c *Client, id int64) bool {
	var of struct {
		Bypass string `json:"current_user_can_bypass"`
	}
	if id == 0 || c.Get(ctx, c.At("/rulesets/%d?includes_parents=true", id), &of) != nil {
		return false
	}
	return of.Bypass == "always"
}

func (r *Rules) addGitHub(one gitHubRule) {
	p := Pattern{Text: one.Parameters.Pattern, How: one.Parameters.Operator, Not: one.Parameters.Negate}
	switch one.Type {
	case "required_signatures":
		r.Signed = true
	case "required_linear_history":
		r.Linear = true
	case "creation", "update", "pull_request": // the last one refuses every push to a branch of the bot
		r.Closed = true
	case "branch_name_pattern":
		r.Names = append(r.Names, p)
	case "commit_message_pattern":
		r.addMessage(p)
	case "commit_author_email_pattern", "committer_email_pattern":
		r.Emails = append(r.Emails, p)
	}
}

// A gitHubAbout is what GitHub and Gitea say of a repository.
type gitHubAbout struct {
	Name        string               `json:"full_name"`
	Private     bool                 `json:"private"`
	Fork        bool                 `json:"fork"`
	Archived    bool                 `json:"archived"`
	Permissions *struct{ Push bool } `json:"permissions"` // nil: GitHub does not say it, as to an App
	Parent      named                `json:"parent"`
	Source      named                `json:"source"`
}

type named struct {
	Name string `json:"full_name"`
}

// isForkOf reports whether a is a fork of own, or both are forks of the same repository.
func (a gitHubAbout) isForkOf(own gitHubAbout) bool {
	for _, theirs := range []string{a.Parent.Name, a.Source.Name} {
		for _, ours := range []string{own.Name, own.Source.Name} {
			if a.Fork && theirs != "" && strings.EqualFold(theirs, ours) {
				return true
			}
		}
	}
	return false
}

// readFork asks for both repositories, and compares them.
func readFork(ctx context.Context, repository, fork *Client) (*Fork, error) {
	if fork == nil {
		return nil, nil
	}
	var own, theirs gitHubAbout
	if err := repository.Get(ctx, repository.At(""), &own); err != nil {
		return nil, err
	}
	if err := fork.Get(ctx, fork.At(""), &theirs); err != nil {
		return nil, err
	}
	f := &Fork{
		Name:     theirs.Name,
		IsOurs:   theirs.isForkOf(own),
		Writable: theirs.Permissions == nil || theirs.Permissions.Push,
		Archived: theirs.Archived,
		Wider:    own.Private && !theirs.Private,
	}
	if theirs.Fork {
		f.Of = theirs.Parent.Name
	}
	return f, nil
}

// Fork returns what GitHub says of the fork, or nil if branches are pushed to the repository itself.
func (r *GitHubRepository) Fork(ctx context.Context) (*Fork, error) {
	return readFork(ctx, r.client, r.fork)
}

// KnowsKey reports whether the account of the token has the public key as a signing key.
func (r *GitHubRepository) KnowsKey(ctx context.Context, public string) (bool, error) {
	return knownKey(ctx, r.client, "/user/ssh_signing_keys?per_page=100", public,
		func(string) bool { return true })
}
