package slacktest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ExportText returns a thread as people see it, to read and to compare in tests. It leaves out
// timestamps, because they differ from run to run.
//
//	#bugs
//	ada: @app checkout fails for two users
//	  app [app]: Looking into it  :eyes: ada
//	    [file plan.md]
//	    [Fix it] [Stop]
func (s *Server) ExportText(channel, ts string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.state.channel(channel)
	if ch == nil {
		return "no channel " + channel
	}
	name := "#" + ch.Name
	if ch.Kind == IM {
		name = "direct message"
	}
	var b strings.Builder
	fmt.Fprintln(&b, name)
	for _, m := range s.threadNow(ch.ID, ts) {
		indent := ""
		if m.ThreadTS != "" {
			indent = "  "
		}
		s.state.exportMessage(&b, indent, m)
	}
	return b.String()
}

func (s *state) exportMessage(b *strings.Builder, indent string, m Message) {
	who := s.nameOf(m.User)
	if m.User == "" {
		who = m.Username
	}
	if m.BotID != "" {
		who += " [app]"
	}
	text := strings.ReplaceAll(s.readable(m.Text), "\n", "\n"+indent+"  ")
	fmt.Fprintf(b, "%s%s: %s", indent, who, text)
	if m.Edited != nil {
		b.WriteString("  (edited)")
	}
	for _, r := range m.Reactions {
		names := make([]string, len(r.Users))
		for i, u := range r.Users {
			names[i] = s.nameOf(u)
		}
		fmt.Fprintf(b, "  :%s: %s", r.Name, strings.Join(names, ", "))
	}
	b.WriteByte('\n')
	for _, f := range m.Files {
		fmt.Fprintf(b, "%s  [file %s]\n", indent, f.Name)
	}
	var labels []string
	for _, c := range m.Controls() {
		label := c.Label()
		if label == "" {
			label = c.Type
		}
		labels = append(labels, "["+label+"]")
	}
	if len(labels) > 0 {
		fmt.Fprintf(b, "%s  %s\n", indent, strings.Join(labels, " "))
	}
}

// ExportJSON returns the thread as JSON, with all stored fields.
func (s *Server) ExportJSON(channel, ts string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.state.channel(channel)
	if ch == nil {
		return nil, fmt.Errorf("slacktest: no channel %q", channel)
	}
	users := map[string]string{}
	messages := s.threadNow(ch.ID, ts)
	for _, m := range messages {
		if u := s.state.users[m.User]; u != nil {
			users[u.ID] = u.Name
		}
	}
	return json.MarshalIndent(struct {
		Team     string            `json:"team"`
		Channel  string            `json:"channel"`
		Name     string            `json:"name"`
		Users    map[string]string `json:"users"`
		Messages []Message         `json:"messages"`
	}{s.state.app.TeamID, ch.ID, ch.Name, users, messages}, "", "  ")
}
