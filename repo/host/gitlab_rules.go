package host

import (
	"context"
	"strings"
)

// Rules returns what the push rules of the project demand, which only its maintainers may read, and which
// only some editions of GitLab have. They count for all branches.
func (p *GitLabProject) Rules(ctx context.Context, _ string, pushed bool) (rules Rules, err error) {
	c := p.client
	if pushed && p.fork != nil {
		c = p.fork
	}
	var of struct {
		Message  string `json:"commit_message_regex"`
		Unlike   string `json:"commit_message_negative_regex"`
		Branch   string `json:"branch_name_regex"`
		Email    string `json:"author_email_regex"`
		Unsigned bool   `json:"reject_unsigned_commits"`
		NoDCO    bool   `json:"reject_non_dco_commits"`
	}
	switch err := c.Get(ctx, c.At("/push_rule"), &of); {
	case refusesReading(err):
		if !strings.Contains(err.Error(), "there is no ") {
			rules.Unread = "the role Maintainer in the project"
		}
		return rules, nil
	case err != nil:
		return rules, err
	}
	rules.Signed = of.Unsigned
	rules.SignedOff = of.NoDCO
	rules.addMessage(Pattern{Text: of.Message})
	if of.Unlike != "" {
		rules.addMessage(Pattern{Text: of.Unlike, Not: true})
	}
	if of.Branch != "" {
		rules.Names = append(rules.Names, Pattern{Text: of.Branch})
	}
	if of.Email != "" {
		rules.Emails = append(rules.Emails, Pattern{Text: of.Email})
	}
	return rules, nil
}

// A gitLabAbout is what GitLab says of a project.
type gitLabAbout struct {
	ID          int64  `json:"id"`
	Path        string `json:"path_with_namespace"`
	Visibility  string `json:"visibility"`
	Archived    bool   `json:"archived"`
	Permissions struct {
		Project *gitLabAccess `json:"project_access"`
		Group   *gitLabAccess `json:"group_access"`
	} `json:"permissions"`
	From *struct {
		ID   int64  `json:"id"`
		Path string `json:"path_with_namespace"`
	} `json:"forked_from_project"`
}

type gitLabAccess struct {
	Level int `json:"access_level"`
}

// level returns the role of the token in the project.
func (a gitLabAbout) level() (level int) {
	for _, one := range []*gitLabAccess{a.Permissions.Project, a.Permissions.Group} {
		if one != nil {
			level = max(level, one.Level)
		}
	}
	return level
}

// forkID returns the number of the fork, or zero if branches are pushed to the project itself.
func (p *GitLabProject) forkID(ctx context.Context) (int64, error) {
	if p.fork == nil {
		return 0, nil
	}
	var fork gitLabAbout
	err := p.fork.Get(ctx, p.fork.At(""), &fork)
	return fork.ID, err
}

// Fork returns what GitLab says of the fork, or nil if branches are pushed to the project itself.
func (p *GitLabProject) Fork(ctx context.Context) (*Fork, error) {
	if p.fork == nil {
		return nil, nil
	}
	var own, fork gitLabAbout
	if err := p.client.Get(ctx, p.client.At(""), &own); err != nil {
		return nil, err
	}
	if err := p.fork.Get(ctx, p.fork.At(""), &fork); err != nil {
		return nil, err
	}
	width := map[string]int{"private": 1, "internal": 2, "public": 3}
	f := &Fork{
		Name:     fork.Path,
		Writable: fork.level() >= gitLabDeveloper,
		Archived: fork.Archived,
		Wider:    width[fork.Visibility] > width[own.Visibility],
	}
	if from := fork.From; from != nil {
		f.Of = from.Path
		f.IsOurs = from.ID == own.ID || own.From != nil && from.ID == own.From.ID
	}
	return f, nil
}

// KnowsKey reports whether the account of the token has the public key as one that signs.
func (p *GitLabProject) KnowsKey(ctx context.Context, public string) (bool, error) {
	return knownKey(ctx, p.client, "/user/keys?per_page=100", public,
		func(usage string) bool { return usage != "auth" })
}
