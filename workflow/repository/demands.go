package repository

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Demand is something that the host demands and that what is pushed would not meet.
type Demand struct {
	Refused string // what is refused, and why: a sentence without its full stop
	Cure    string // what the operator has to do, after "to": set `commits: {signoff: true}`
}

// Demands are what a host would refuse of the work that is pushed to a branch like Branch and merged into
// Base.
type Demands struct {
	Unmet  []Demand
	Unread string // the right that the credential lacks to read all rules, in words; empty: none
	Notes  []string
}

// sampleSession ends the sample of a branch's name, as the id of a session does.
const sampleSession = "0a1b2c3d"

// sampleValues are values of the placeholders of names, for samples.
var sampleValues = map[string]string{
	NameTicket: "SHOP-12", NameSlug: "refunds-are-too-high", NameID: sampleSession, NameType: TypeFix,
	NameScope: "cart", NameSummary: "hand out every cent",
}

// OwnBranches returns an expression for the names of the branches that are pushed.
func (r Repository) OwnBranches() *regexp.Regexp {
	own := "^" + regexp.QuoteMeta(cmp.Or(r.BranchPrefix, "bobbin/")) + ".+$"
	if named := r.Naming.Branch.Expression(); named != nil {
		own += "|" + named.String()
	}
	return regexp.MustCompile(own)
}

// sampleBranch returns a name like those of the branches that are pushed.
func (r Repository) sampleBranch() string {
	if r.Naming.Branch.Template != "" {
		return r.Naming.Branch.Fill(sampleValues)
	}
	return cmp.Or(r.BranchPrefix, "bobbin/") + "refunds-are-too-high-" + sampleSession
}

// sampleMessage returns a message like those of the commits that are pushed.
func (r Repository) sampleMessage() string {
	title := "Hand out every cent"
	if r.Naming.Title.Template != "" {
		title = r.Naming.Title.Fill(sampleValues)
	}
	return title + sampleBody
}

const sampleBody = "\n\nSplit hands out every cent of a total.\n\n" +
	"Reported-by: Ann Author\nApproved-by: Bea Baker\nSession: " + sampleSession + "\n"

// FindDemands asks the host what it demands of pushed branches and of base, the branch that they are merged
// into, and returns what the repository's settings do not meet. It returns nothing for a repository without a
// host.
func (r Repository) FindDemands(ctx context.Context, base string) (found Demands, err error) {
	like := plaintext.CodeSpan(r.sampleBranch())
	found, pushed, merged, err := r.readDemands(ctx, r.sampleBranch(), base)
	if err != nil {
		return found, err
	}
	if pushed.Linear {
		found.add("leave such branches out of that rule, since they are squashed or merged as a whole",
			"The host takes no merge commits on branches like %s: when the base moves during later work, "+
				"the merge of it is refused", like)
	}
	if merged.Linear && !pushed.Linear {
		found.Notes = append(found.Notes, fmt.Sprintf("%s takes no merge commits: a branch into which "+
			"Bobbin merged it has to be squashed", plaintext.CodeSpan(base)))
	}
	found.Unmet = onlyOnce(found.Unmet)
	return found, nil
}

// FindDemandsOf does the same for a branch of that name that gets one commit, which is no merge.
func (r Repository) FindDemandsOf(ctx context.Context, branch, base string) (Demands, error) {
	found, _, _, err := r.readDemands(ctx, branch, base)
	found.Unmet = onlyOnce(found.Unmet)
	return found, err
}

// readDemands asks the host what it demands of a branch that is pushed and of base, and returns what the
// settings do not meet, except what is demanded of merge commits.
func (r Repository) readDemands(
	ctx context.Context, branch, base string,
) (found Demands, pushed, merged host.Rules, err error) {
	at := r.Pulls.Host
	if at == nil {
		return found, pushed, merged, nil
	}
	if pushed, err = at.Rules(ctx, branch, true); err != nil {
		return found, pushed, merged, err
	}
	if merged, err = at.Rules(ctx, base, false); err != nil {
		return found, pushed, merged, err
	}
	found.Unread = cmp.Or(pushed.Unread, merged.Unread)
	ours := "branches like " + plaintext.CodeSpan(branch)
	theirs := "what is merged into " + plaintext.CodeSpan(base)
	if err := r.checkSigned(ctx, &found, pushed, merged, ours, theirs); err != nil {
		return found, pushed, merged, err
	}
	r.checkMessages(&found, pushed, ours)
	r.checkMessages(&found, merged, theirs)
	r.checkBranch(&found, pushed, branch)
	return found, pushed, merged, nil
}

// Text says what the host would refuse and what the operator has to set, without the demands that one of the
// lines in said names already. It is empty if nothing is left. mask masks secrets, as it did in those lines.
func (d Demands) Text(said []string, mask func(string) string) string {
	var lines []string
	for _, u := range d.Unmet {
		refused := mask(u.Refused)
		if !slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, refused) }) {
			lines = append(lines, refused+". My operator can "+mask(u.Cure)+".")
		}
	}
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return "What I push would be refused. " + lines[0]
	}
	return "What I push would be refused. \n• " + strings.Join(lines, "\n• ")
}

// checkSigned adds what is demanded of signatures.
func (r Repository) checkSigned(
	ctx context.Context, found *Demands, pushed, merged host.Rules, ours, theirs string,
) error {
	where := ours
	if !pushed.Signed {
		where = theirs
	}
	if !pushed.Signed && !merged.Signed || r.Commits.Host != nil {
		return nil
	}
	key, signs := r.Commits.Signer.(interface{ Public() string })
	if !signs {
		cure := "set `commits: {sign_key_file: FILE}` of the repository, and add the public key to the " +
			"bot's account at the host, for signatures"
		if r.Pulls.Kind == host.GitHub {
			cure += "; or, with a GitHub App, set `commits: {sign: host}`"
		}
		found.add(cure, "The host demands signed commits of %s, and commits here are not signed", where)
		return nil
	}
	known, err := r.Pulls.Host.KnowsKey(ctx, key.Public())
	var refused *remote.Error
	if errors.As(err, &refused) && !refused.Retry {
		return nil // the credential may not read the keys of its account
	}
	if err == nil && !known {
		found.add("add its public key to the bot's account at the host, for signatures: "+
			plaintext.CodeSpan(key.Public()),
			"The host demands signed commits of %s, and does not know the key that commits here are signed "+
				"with", where)
	}
	return err
}

// checkMessages adds what is demanded of messages, and of the addresses of authors and committers.
func (r Repository) checkMessages(found *Demands, rules host.Rules, where string) {
	if rules.SignedOff && !r.Commits.SignOff {
		found.add("set `commits: {signoff: true}` of the repository, with the name and email of the bot",
			"The host demands a Signed-off-by in each message of %s, and commits here have none", where)
	}
	for _, p := range rules.Messages {
		if matches, known := p.Matches(r.sampleMessage()); known && !matches {
			found.add("change that rule for the bot, or the form of its messages",
				"The host demands of %s that messages %s, and those of commits here do not", where, p)
		}
	}
	_, email := r.Commits.Committer()
	for _, p := range rules.Emails {
		if matches, known := p.Matches(email); known && !matches && r.Commits.Host == nil {
			found.add("set `commits: {email: ADDRESS}` of the repository",
				"The host demands of %s that addresses of authors %s, and commits here are of %s",
				where, p, email)
		}
	}
}

// checkBranch adds what is demanded of the name of a branch that is pushed, and of who pushes it.
func (r Repository) checkBranch(found *Demands, rules host.Rules, branch string) {
	like := plaintext.CodeSpan(branch)
	for _, p := range rules.Names {
		if matches, known := p.Matches(branch); known && !matches {
			found.add("set a `branch_prefix` that fits, or leave such branches out of that rule",
				"The host demands that names of branches %s, and those here are like %s", p, like)
		}
	}
	if rules.Closed {
		found.add("let the bot bypass that rule, or set another `branch_prefix`",
			"The host lets nobody without a special right push branches like %s", like)
	}
}

// add adds a demand: what is refused is formatted.
func (d *Demands) add(cure, refused string, args ...any) {
	d.Unmet = append(d.Unmet, Demand{Refused: fmt.Sprintf(refused, args...), Cure: cure})
}

// onlyOnce leaves out demands that have the same cure as an earlier one.
func onlyOnce(all []Demand) (list []Demand) {
	seen := map[string]bool{}
	for _, d := range all {
		if !seen[d.Cure] {
			list = append(list, d)
		}
		seen[d.Cure] = true
	}
	return list
}

// CheckFork returns a *remote.Error that says why nothing may be pushed to the fork, or nil if it is in order
// or if branches are pushed to the repository itself. What the host says counts, if there is one.
func (r Repository) CheckFork(ctx context.Context) error {
	if r.PushTo == nil || r.Pulls.Host == nil {
		return nil
	}
	fork, err := r.Pulls.Host.Fork(ctx)
	if err != nil || fork == nil {
		return err
	}
	reason, cure := fork.Why(r.Name)
	if reason == "" {
		return nil
	}
	return &remote.Error{
		Op:     "push to " + fork.Name,
		Reason: "nothing can be pushed to the fork: " + reason,
		Cure:   strings.ToUpper(cure[:1]) + cure[1:],
	}
}
