package packages

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/packages/internal/manager"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Lacking is a package that could not be fetched, while others of its package manager could.
type Lacking struct {
	Name    string
	Version string // empty: not known
	Host    string // that was asked for it; empty: not known
	Why     string // such as 401; may be empty
}

// String returns the package in a few words: left-pad 1.3.0 from npm.internal.example: 401.
func (l Lacking) String() string {
	text := l.Name
	if l.Version != "" {
		text += " " + l.Version
	}
	if l.Host != "" {
		text += " from " + l.Host
	}
	if l.Why != "" {
		text += ": " + l.Why
	}
	return text
}

// maxLacking is how many packages are kept of those that could not be fetched.
const maxLacking = 200

// lackingFor is how long a set without some packages is used before all of them are asked for again.
const lackingFor = time.Hour

// runEach runs the steps. If one fails, it fetches what can be had of it, and goes on with the others. It
// returns an error if nothing could be had, or if it makes no sense to go on.
func (f *fetchRun) runEach(ctx context.Context, run func(step, *tail) error) error {
	var first error
	done := 0
	for _, s := range f.plan.steps {
		err := run(s, &tail{})
		missing := (*Missing)(nil)
		if err != nil && (!errors.As(err, &missing) || missing.stops || f.plan.own || f.plan.bump) {
			return err
		}
		if err == nil {
			done++
			continue
		}
		if f.fetchPartly(ctx, s, missing, run) {
			done++
		} else if err := f.removeHalf(s); err != nil {
			return err
		}
		missing.Kind = f.plan.kind()
		missing.Names = f.plan.lockNames()
		f.lost = append(f.lost, *missing)
		if first == nil {
			first = missing
		}
	}
	if done > 0 {
		return nil
	}
	return first
}

// removeHalf removes the half of a node_modules folder that a failed step left behind.
func (f *fetchRun) removeHalf(s step) error {
	root, err := os.OpenRoot(f.pathOf("src"))
	if err != nil {
		return err
	}
	defer root.Close()
	return root.RemoveAll(path.Join(".", s.dir, "node_modules"))
}

// fetchPartly fetches what can be had of a step that failed, and reports whether there is something. It puts
// into missing what cannot be had.
func (f *fetchRun) fetchPartly(
	ctx context.Context, s step, missing *Missing, run func(step, *tail) error,
) bool {
	line := f.plan.managers[0].Partial
	if line == "" {
		return false
	}
	root, err := os.OpenRoot(f.pathOf("scratch"))
	if err != nil {
		return false
	}
	defer root.Close()
	_ = root.Remove(manager.LackingFile) // of an earlier step
	out := &tail{}
	if err := run(step{dir: s.dir, line: line, shown: s.shown}, out); err != nil {
		f.fetcher.log().Info("setup: no part of the packages can be had", "files", f.plan.lockNames(),
			"output", out.String())
		return false
	}
	text, ok := readPlain(root, manager.LackingFile)
	if !ok {
		return false
	}
	found := f.readLacking(text)
	if len(found) == 0 {
		return false
	}
	missing.Lacking = found
	f.explainLacking(ctx, s, missing)
	return true
}

// The characters of names and versions of packages, whatever the manager.
var (
	packageName    = regexp.MustCompile(`^@?[A-Za-z0-9][A-Za-z0-9._~/+-]{0,200}$`)
	packageVersion = regexp.MustCompile(`^[A-Za-z0-9^~<>=*][A-Za-z0-9._~+*<>= |^-]{0,60}$`)
)

// readLacking reads what Partial wrote. It is not trusted: lines with unusual names are left out.
func (f *fetchRun) readLacking(text []byte) (found []Lacking) {
	for line := range bytes.Lines(text) {
		fields := strings.SplitN(strings.TrimRight(string(line), "\r\n"), "\t", 4)
		if len(fields) < 4 || !packageName.MatchString(fields[0]) || len(found) == maxLacking {
			continue
		}
		l := Lacking{Name: fields[0]}
		if packageVersion.MatchString(fields[1]) {
			l.Version = fields[1]
		}
		reason := fields[3]
		at := fields[2]
		if at == "" {
			at = firstAddress.FindString(reason)
		}
		if u, err := url.Parse(at); err == nil && proxy.CheckHost(u.Host) == nil {
			l.Host = u.Host
		}
		l.Why = f.whyLacking(&l, reason)
		if !slices.Contains(found, l) {
			found = append(found, l)
		}
	}
	return found
}

var (
	firstAddress = regexp.MustCompile(`https?://[^\s"'\\]+`)
	httpStatus   = regexp.MustCompile(`\b(?:E|HTTP error )?([45][0-9][0-9])\b`)
)

// whyLacking returns why a package could not be had, in a word or two, and sets its host if only the proxy
// knows it.
func (f *fetchRun) whyLacking(l *Lacking, reason string) string {
	for _, d := range f.report.Denied {
		if sameName(packageOf(d.Path), l.Name) && (l.Host == "" || l.Host == d.Host) && d.Status != 0 {
			l.Host = d.Host
			return strings.TrimPrefix(d.Why, "answered ")
		}
	}
	name, _, _ := strings.Cut(l.Host, ":")
	for _, r := range f.report.Refused {
		if host, _, _ := strings.Cut(r.Target, ":"); name != "" && host == name {
			return refusedWhy
		}
	}
	for _, r := range f.report.Missed {
		if host, _, _ := strings.Cut(r.Target, ":"); name != "" && host == name {
			return plaintext.CutLine(r.Why, 100)
		}
	}
	if m := httpStatus.FindStringSubmatch(reason); m != nil {
		return m[1]
	}
	return ""
}

// refusedWhy is the reason of a package at a host that the proxy does not let through.
const refusedWhy = "that host is not allowed"

// sameName reports whether two names mean the same package, as Python's registries read them.
func sameName(a, b string) bool {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(s))
	}
	return plain(a) == plain(b)
}

// explainLacking sets what people are told of single packages that could not be fetched.
func (f *fetchRun) explainLacking(ctx context.Context, s step, m *Missing) {
	var names []string
	for _, l := range m.Lacking {
		names = append(names, l.String())
	}
	m.Why = fmt.Sprintf("`%s` cannot get %s", s.shown, plaintext.FirstOf(names, 3))
	m.Refused = f.report.Refused
	m.Denied = f.report.Denied
	first := m.Lacking[0]
	asksLogin := first.Host != "" && !f.hasLogin(first.Host)
	switch {
	case first.Why == refusedWhy:
		f.curesRefusal(m, f.fetcher.ownRegistries(ctx, f.plan.managers))
	case asksLogin && (first.Why == "401" || first.Why == "403"):
		m.Cure = authCure(first.Host)
	case asksLogin && first.Why == "404":
		m.Cure = "check its name; if it is private, " + authCure(first.Host)
	default:
		i := slices.IndexFunc(m.Denied, func(d proxy.Denial) bool { return d.Host == first.Host })
		if i >= 0 {
			m.Cure = m.Denied[i].Cure
		}
	}
}

// authCure returns the setting that gives the requests for a host a login.
func authCure(host string) string {
	return "write `setup: {auth: [{host: " + host + ", token_env: NAME_OF_A_VARIABLE}]}` in the configuration"
}

// hasLogin reports whether requests for the host get a login.
func (f *fetchRun) hasLogin(host string) bool {
	return slices.ContainsFunc(f.job.logins(), func(l proxy.Login) bool {
		return strings.TrimSuffix(l.Target(), ":443") == host
	})
}

// A partialSet is a folder of packages of which some could not be fetched.
type partialSet struct {
	dir  string
	when time.Time
}

// partialFolder returns the folder of packages without those that are lost. dir is the folder of all of them.
func partialFolder(dir string, lost []Missing) string {
	h := sha256.New()
	fmt.Fprintf(h, "partial 1\n%s\n", filepath.Base(dir))
	for _, m := range lost {
		fmt.Fprintf(h, "%s\n", m.Names)
		for _, l := range m.Lacking {
			fmt.Fprintf(h, "%s %s\n", l.Name, l.Version)
		}
	}
	return filepath.Join(filepath.Dir(dir), hex.EncodeToString(h.Sum(nil)[:16]))
}

// openPartial opens the packages that were fetched without some of them a short while ago. It returns nil if
// there are none. dir is the folder that all of them would be in.
func (f *Fetcher) openPartial(dir string) (*packageSet, error) {
	found, ok := f.partial.Load(dir)
	if !ok || time.Since(found.(partialSet).when) > lackingFor {
		return nil, nil
	}
	return openFetched(found.(partialSet).dir)
}
