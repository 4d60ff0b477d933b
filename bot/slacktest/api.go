package slacktest

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A method is one method of the Web API.
type method struct {
	token tokenKind
	// scope is the scope that the bot token needs. In "*:history" the star stands for the kind of the
	// channel in the call: channels, groups, im.
	scope string
	run   func(*Server, *call) (object, error)
}

type tokenKind int

const (
	botToken tokenKind = iota
	appToken
	anyToken
	noToken
)

// A failure is a response with ok: false.
type failure struct {
	code     string
	messages []string // for response_metadata.messages
	extra    object
}

func (f *failure) Error() string { return f.code }

func fail(code string) error { return &failure{code: code} }

// methods returns the table of supported methods.
func methods() map[string]method {
	return map[string]method{
		"api.test":              {noToken, "", (*Server).apiTest},
		"auth.test":             {anyToken, "", (*Server).authTest},
		"apps.connections.open": {appToken, "", (*Server).connectionsOpen},
		"bots.info":             {botToken, "users:read", (*Server).botsInfo},
		"team.info":             {botToken, "team:read", (*Server).teamInfo},

		"chat.postMessage":   {botToken, "chat:write", (*Server).chatPostMessage},
		"chat.postEphemeral": {botToken, "chat:write", (*Server).chatPostEphemeral},
		"chat.update":        {botToken, "chat:write", (*Server).chatUpdate},
		"chat.delete":        {botToken, "chat:write", (*Server).chatDelete},
		"chat.getPermalink":  {botToken, "", (*Server).chatGetPermalink},

		"agents.sessions.setStatus":   {botToken, "chat:write", (*Server).agentsSetStatus},
		"assistant.threads.setStatus": {botToken, "chat:write", (*Server).assistantSetStatus},

		"conversations.history": {botToken, "*:history", (*Server).conversationsHistory},
		"conversations.replies": {botToken, "*:history", (*Server).conversationsReplies},
		"conversations.info":    {botToken, "*:read", (*Server).conversationsInfo},
		"conversations.members": {botToken, "*:read", (*Server).conversationsMembers},
		"conversations.list":    {botToken, "channels:read", (*Server).conversationsList},
		"conversations.open":    {botToken, "im:write", (*Server).conversationsOpen},
		"conversations.join":    {botToken, "channels:join", (*Server).conversationsJoin},
		"users.conversations":   {botToken, "channels:read", (*Server).usersConversations},

		"files.info":                   {botToken, "files:read", (*Server).filesInfo},
		"files.getUploadURLExternal":   {botToken, "files:write", (*Server).filesGetUploadURL},
		"files.completeUploadExternal": {botToken, "files:write", (*Server).filesCompleteUpload},

		"users.info":            {botToken, "users:read", (*Server).usersInfo},
		"users.list":            {botToken, "users:read", (*Server).usersList},
		"users.lookupByEmail":   {botToken, "users:read.email", (*Server).usersLookupByEmail},
		"usergroups.list":       {botToken, "usergroups:read", (*Server).usergroupsList},
		"usergroups.users.list": {botToken, "usergroups:read", (*Server).usergroupsUsersList},

		"openid.connect.token":    {noToken, "", (*Server).openidToken},
		"openid.connect.userInfo": {noToken, "", (*Server).openidUserInfo},

		"pins.add": {botToken, "pins:write", (*Server).pinsAdd},

		"reactions.add":    {botToken, "reactions:write", (*Server).reactionsAdd},
		"reactions.remove": {botToken, "reactions:write", (*Server).reactionsRemove},
		"reactions.get":    {botToken, "reactions:read", (*Server).reactionsGet},

		"views.open":    {botToken, "", (*Server).viewsOpen},
		"views.push":    {botToken, "", (*Server).viewsPush},
		"views.update":  {botToken, "", (*Server).viewsUpdate},
		"views.publish": {botToken, "", (*Server).viewsPublish},
	}
}

// scopes returns the scopes of the bot token: by default all scopes that the supported methods need.
func (s *Server) scopes() []string {
	if s.cfg.Scopes != nil {
		return s.cfg.Scopes
	}
	var all []string
	for _, m := range s.methods {
		if m.scope == "" {
			continue
		}
		what, starred := strings.CutPrefix(m.scope, "*")
		if !starred {
			all = append(all, m.scope)
			continue
		}
		for _, kind := range []string{"channels", "groups", "im"} {
			all = append(all, kind+what)
		}
	}
	all = append(all, "app_mentions:read", "commands")
	slices.Sort(all)
	return slices.Compact(all)
}

// serveAPI answers one call: it records the call, then applies an ordered fault, then runs the method.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	c, err := readCall(r)
	fault := s.arrive(c)
	if !s.pause(r, fault.Latency) {
		return
	}
	if fault.Status != 0 || fault.Error != "" {
		s.answerFault(w, c, fault)
		return
	}
	if wait := s.overLimit(c); wait > 0 {
		s.answerFault(w, c, Fault{Status: http.StatusTooManyRequests, RetryAfter: wait})
		return
	}
	if fault.LoseCall {
		s.settle(c, 0, nil, false)
		cut(w)
		return
	}
	if fault.Late > 0 {
		cut(w)
		if !s.pause(r.WithContext(context.WithoutCancel(r.Context())), fault.Late) {
			return
		}
	}
	var reply object
	if err == nil {
		reply, err = s.run(c)
	}
	if fault.LoseAnswer {
		s.settle(c, 0, err, true)
		cut(w)
		return
	}
	s.settle(c, http.StatusOK, err, false)
	s.answer(w, c, reply, err)
}

// pause waits for d. It returns false if the client or the server goes away meanwhile.
func (s *Server) pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-s.done:
	}
	return false
}

// run checks the token and calls the method, holding the lock throughout, so that a call is atomic.
func (s *Server) run(c *call) (object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, known := s.methods[c.method]
	if !known {
		return nil, &failure{code: "unknown_method", extra: object{"req_method": c.method}}
	}
	if err := s.authorise(m, c); err != nil {
		return nil, err
	}
	return m.run(s, c)
}

// authorise checks the token and its scope.
func (s *Server) authorise(m method, c *call) error {
	if m.token == noToken {
		return nil
	}
	kind := botToken
	switch c.token {
	case "":
		return fail("not_authed")
	case s.cfg.BotToken:
	case s.cfg.AppToken:
		kind = appToken
	default:
		return fail("invalid_auth")
	}
	if m.token != anyToken && m.token != kind {
		return fail("not_allowed_token_type")
	}
	if kind == appToken {
		return nil
	}
	scope := s.state.scopeFor(m.scope, c.get("channel"))
	if have := s.scopes(); scope != "" && !slices.Contains(have, scope) {
		return &failure{
			code:  "missing_scope",
			extra: object{"needed": scope, "provided": strings.Join(have, ",")},
		}
	}
	c.scope = scope
	return nil
}

// scopeFor returns the scope for a channel's kind, or "" if there is no scope to check.
func (s *state) scopeFor(scope, channel string) string {
	what, starred := strings.CutPrefix(scope, "*")
	if !starred {
		return scope
	}
	ch := s.channels[channel]
	if ch == nil {
		return ""
	}
	switch ch.Kind {
	case Private:
		return "groups" + what
	case IM:
		return "im" + what
	}
	return "channels" + what
}

// answer writes a response, or a failure, in Slack's form.
func (s *Server) answer(w http.ResponseWriter, c *call, reply object, err error) {
	if reply == nil {
		reply = object{}
	}
	reply["ok"] = err == nil
	if f, is := err.(*failure); is {
		describe(reply, f)
	} else if err != nil {
		reply["error"] = "internal_error"
	}
	if c.warning != "" {
		warn(reply, c.warning, "")
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("X-Slack-Req-Id", c.id)
	h.Set("Date", s.cfg.Now().UTC().Format(http.TimeFormat))
	if c.token == s.cfg.BotToken {
		h.Set("X-OAuth-Scopes", strings.Join(s.scopes(), ","))
		h.Set("X-Accepted-OAuth-Scopes", c.scope)
	}
	_ = json.NewEncoder(w).Encode(reply)
}

func describe(reply object, f *failure) {
	reply["error"] = f.code
	for k, v := range f.extra {
		reply[k] = v
	}
	if len(f.messages) == 0 {
		return
	}
	lines := make([]string, len(f.messages))
	for i, m := range f.messages {
		lines[i] = "[ERROR] " + m
	}
	reply["errors"] = f.messages
	reply["response_metadata"] = object{"messages": lines}
}

// warn adds a warning to a response, and the line that explains it.
func warn(reply object, code, message string) {
	if old, _ := reply["warning"].(string); old != "" {
		code = old + "," + code
	}
	reply["warning"] = code
	meta, _ := reply["response_metadata"].(object)
	if meta == nil {
		meta = object{}
	}
	meta["warnings"] = strings.Split(code, ",")
	if message != "" {
		meta["messages"] = []string{"[WARN] " + message}
	}
	reply["response_metadata"] = meta
}
