package page

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// SignedIn is the path to which visitors come back from signing in.
const SignedIn = "/s/-/signed-in"

// SignedInURL returns the address to which visitors of pages below the base address come back.
func SignedInURL(base string) string { return strings.TrimRight(base, "/") + SignedIn }

// signInLasts is how long a visitor may take to sign in.
const signInLasts = 10 * time.Minute

// signInAnswer is how long Slack may take to say who a visitor is.
const signInAnswer = 30 * time.Second

// signInCookie is the beginning of the name of the cookie of a visitor who signs in; a piece of the state
// follows, so that several pages of one browser can sign in at a time.
const signInCookie = "bobbin_sign_in_"

// A signingIn is a visit that was sent to sign in.
type signingIn struct {
	state string // random
	page  string // path and query of the page that the visitor wanted
}

// signInForm is the first part of a signed signingIn.
const signInForm = "sign-in"

// wholePages are the patterns of what people open, other than parts of a page.
var wholePages = []string{"GET /s/{$}", "GET /s/{session}", "GET /s/{session}/step/{entry}"}

// canSignIn reports whether a request is for a whole page, so that it can go to another site and back. Old
// browsers do not say what they load. https://www.w3.org/TR/fetch-metadata/#sec-fetch-dest-header
func (p *Pages) canSignIn(r *http.Request) bool {
	loads := r.Header.Get("Sec-Fetch-Dest")
	return p.SignIn != nil && r.Method == http.MethodGet && slices.Contains(wholePages, r.Pattern) &&
		(loads == "" || loads == "document")
}

// sendToSignIn sends a visitor whom nothing admits to sign in. A signed cookie keeps which page they wanted.
func (p *Pages) sendToSignIn(w http.ResponseWriter, r *http.Request) {
	s := signingIn{state: rand.Text(), page: r.URL.EscapedPath()}
	query := r.URL.Query()
	query.Del("k") // a link that has expired
	if len(query) > 0 {
		s.page += "?" + query.Encode()
	}
	until := p.Links.Now().Add(signInLasts)
	http.SetCookie(w, p.cookieOf(s.cookie(), SignedIn, until,
		p.Links.seal(signInForm, s.state, s.page, strconv.FormatInt(until.Unix(), 10))))
	http.Redirect(w, r, p.SignIn.Address(s.state), http.StatusSeeOther)
}

func (s signingIn) cookie() string { return signInCookie + s.state[:min(len(s.state), 8)] }

// serveSignedIn admits a visitor who comes back from signing in. It trusts only a state that this browser was
// given: otherwise another site could sign somebody in as somebody else.
func (p *Pages) serveSignedIn(w http.ResponseWriter, r *http.Request) {
	if p.SignIn == nil {
		p.refuseLink(w, r, reasonOf(errNoLink), "")
		return
	}
	q := r.URL.Query()
	s, err := p.signingIn(r, q.Get("state"))
	if err != nil {
		p.refuseLink(w, r, "This browser did not begin to sign in here, or not within ten minutes.", "")
		return
	}
	http.SetCookie(w, p.cookieOf(s.cookie(), SignedIn, time.Unix(1, 0), ""))
	if code := q.Get("error"); code != "" {
		p.Log.Warn("a visitor was not signed in", "err", plaintext.CutLine(code, 80))
		p.refuseSignIn(w, r, "Slack did not sign you in.", s.page)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), signInAnswer)
	defer cancel()
	user, err := p.SignIn.Visitor(ctx, q.Get("code"))
	if err != nil {
		p.Log.Warn("a visitor was not signed in", "err", err)
		p.refuseSignIn(w, r, reasonOfSignIn(err), s.page)
		return
	}
	g := grant{user: user, until: p.Links.Now().Add(linkLasts)}
	p.keepGrant(w, g, p.Links.sign(g))
	http.Redirect(w, r, s.page, http.StatusSeeOther)
}

func reasonOfSignIn(err error) string {
	if other, is := errors.AsType[bot.OtherWorkspaceError](err); is {
		return "You are signed in to another workspace than " + other.Wanted + "."
	}
	return "Slack did not say who you are."
}

// refuseSignIn sends a page that says why somebody was not signed in, and offers to try again.
func (p *Pages) refuseSignIn(w http.ResponseWriter, r *http.Request, why, page string) {
	path, _, _ := strings.Cut(page, "?")
	needs := needsLink(strings.TrimPrefix(path, "/s/"))
	p.sendRefusal(w, r, http.StatusForbidden, refusal{Why: why, Needs: needs, Again: page})
}

// signingIn returns what the cookies of a request say about the visit with that state.
func (p *Pages) signingIn(r *http.Request, state string) (signingIn, error) {
	kept, err := r.Cookie(signingIn{state: state}.cookie())
	if err != nil {
		return signingIn{}, errNoLink
	}
	parts, err := p.Links.unseal(signInForm, kept.Value)
	if err != nil || len(parts) != 3 || subtle.ConstantTimeCompare([]byte(parts[0]), []byte(state)) != 1 {
		return signingIn{}, errForged
	}
	_, err = p.Links.notOver(parts[2])
	return signingIn{state: parts[0], page: parts[1]}, err
}
