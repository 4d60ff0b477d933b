package slacktest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
)

// Config.File is a journal: each line is a kept with the changes since the line before. A line is written
// before any client can see the changes in it, however the program ends. A power failure may lose the last
// lines.

// A stateFile is an open Config.File. Server.mu guards it. touch and close accept a nil stateFile.
type stateFile struct {
	out     *os.File
	touched map[string]*Message // messages changed since the last line, by channel and ts
	written map[string]string   // by id, the JSON of everything else as it is in the file
	size    int                 // bytes written since the file was last rewritten
	most    int                 // size in bytes above which the file is rewritten
	broken  bool                // writing failed, which was logged
}

// A lock is the mutex that guards a server. Changes made under the lock are written to the file before it
// is released.
type lock struct {
	sync.Mutex
	leave func() // nil: there is no file
}

// Unlock writes the changes and releases the lock.
func (l *lock) Unlock() {
	if l.leave != nil {
		l.leave()
	}
	l.Mutex.Unlock()
}

// A savedLines is the content of a Config.File.
type savedLines []kept

// readFile reads a Config.File. It ignores an incomplete last line; a missing file is an empty journal.
func readFile(name string) (lines savedLines, err error) {
	if name == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("slacktest: %w", err)
	}
	for number, line := range bytes.SplitAfter(raw, []byte("\n")) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var k kept
		if err := json.Unmarshal(line, &k); err != nil {
			return nil, fmt.Errorf("slacktest: %s: line %d is none of a workspace: %w", name, number+1, err)
		}
		lines = append(lines, k)
	}
	return lines, nil
}

// listen listens on the workspace's former address. It returns nil if another address is wanted or the
// former address is in use.
func (s savedLines) listen(wanted string) net.Listener {
	if address := s.address(); address != "" && wanted == "" {
		if l, err := net.Listen("tcp", address); err == nil {
			return l
		}
	}
	return nil
}

func (s savedLines) address() (last string) {
	for _, k := range s {
		last = cmp.Or(k.Address, last)
	}
	return last
}

// restoreFile restores the workspace from the lines of its file, and writes changes to the file from then on.
func (s *Server) restoreFile(lines savedLines) error {
	if s.cfg.File == "" {
		return nil
	}
	for _, k := range lines {
		s.applySaved(k)
	}
	s.move("http://"+lines.address()+"/", s.base()+"/")
	s.file = &stateFile{}
	if err := s.rewrite(); err != nil {
		return err
	}
	for _, d := range sorted(s.socket.events) { // events that the app has not acknowledged
		s.deliver(d)
	}
	s.mu.leave = s.save
	return nil
}

// move replaces the address in the URLs of files after the server's address has changed.
func (s *Server) move(from, to string) {
	for _, u := range s.state.uploads {
		u.URL = strings.Replace(u.URL, from, to, 1)
	}
	for _, list := range s.state.messages {
		for _, m := range list {
			for i := range m.Files {
				m.Files[i].URL = strings.Replace(m.Files[i].URL, from, to, 1)
			}
		}
	}
}

// rewrite replaces the file by a new one with the whole workspace in one line. The old file stays until the
// new one is complete.
func (s *Server) rewrite() error {
	f := s.file
	fresh, err := os.OpenFile(s.cfg.File+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("slacktest: keep the workspace: %w", err)
	}
	former := f.out
	*f = stateFile{out: fresh, written: map[string]string{}, touched: map[string]*Message{}}
	for _, list := range s.state.messages {
		for _, m := range list {
			f.touch(m)
		}
	}
	k := s.changes()
	app := s.state.app
	k.App = &app
	k.Address = s.listener.Addr().String()
	err = f.append(k)
	if err == nil {
		err = os.Rename(fresh.Name(), s.cfg.File)
	}
	if former != nil {
		former.Close()
	}
	f.most = 2*f.size + 4<<20
	return err
}

// save writes a line with the changes since the last line. The caller holds mu.
func (s *Server) save() {
	f := s.file
	if f == nil || f.broken {
		return
	}
	k := s.changes()
	if k == nil {
		return
	}
	err := f.append(k)
	if err == nil && f.size > f.most {
		err = s.rewrite()
	}
	if err != nil {
		f.broken = true
		s.cfg.Log.Error("the workspace cannot be kept: what happens from now on is forgotten with the "+
			"program", "file", s.cfg.File, "err", err)
	}
}

func (s *stateFile) append(k *kept) error {
	line, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("slacktest: keep the workspace: %w", err)
	}
	n, err := s.out.Write(append(line, '\n'))
	s.size += n
	return err
}

// touch marks a message as changed or removed.
func (s *stateFile) touch(m *Message) {
	if s != nil {
		s.touched[m.Channel+"/"+m.TS] = m
	}
}

func (s *stateFile) close() {
	if s != nil {
		s.out.Close()
	}
}

// changes returns what differs from the file, or nil if nothing does.
func (s *Server) changes() *kept {
	st := &s.state
	f := s.file
	k := &kept{LastTS: st.lastTS, Serial: st.serial}
	now := map[string]string{}
	k.Users = differing(f, now, sorted(st.users), func(u *User) string { return u.ID })
	k.Channels = differing(f, now, sorted(st.channels), func(ch *Channel) string { return ch.ID })
	k.Groups = differing(f, now, sorted(st.groups), func(g *UserGroup) string { return g.ID })
	var views []keptView
	for _, v := range sorted(st.views) {
		if v.Open {
			views = append(views, keptView{*v, v.fields, v.hash, v.root, v.parentView})
		}
	}
	k.Views = differing(f, now, views, func(v keptView) string { return v.ID })
	var files []File
	for _, u := range sorted(st.uploads) {
		if u.done {
			files = append(files, u.File)
		}
	}
	for _, changed := range differing(f, now, files, func(f File) string { return f.ID }) {
		k.Files = append(k.Files, keptFile{changed, st.uploads[changed.ID].content})
	}
	for id, d := range s.untaken() {
		if now[id] = "sent"; f.written[id] == "" {
			k.Events = append(k.Events, keptEvent{d.eventID, d.eventType, d.payload})
		}
	}
	for id := range f.written {
		if now[id] == "" {
			k.Gone = append(k.Gone, id)
		}
	}
	for id, m := range f.touched {
		if st.message(m.Channel, m.TS) == nil {
			k.Gone = append(k.Gone, id)
		} else {
			k.Messages = append(k.Messages, keptMessage{*m, m.clientMsgID})
		}
	}
	slices.SortFunc(k.Messages, func(a, b keptMessage) int { return cmp.Compare(a.TS, b.TS) })
	f.written = now
	f.touched = map[string]*Message{}
	if len(k.Users)+len(k.Channels)+len(k.Groups)+len(k.Messages)+len(k.Views)+len(k.Files)+len(k.Events)+
		len(k.Gone) == 0 {
		return nil
	}
	return k
}

// untaken returns the events that the app has not acknowledged and that were not given up, by event id.
func (s *Server) untaken() map[string]*delivery {
	list := map[string]*delivery{}
	for _, d := range s.socket.open {
		if d.isRetried() {
			list[d.eventID] = d
		}
	}
	return list
}

// differing returns the values whose JSON differs from the file, and stores the JSON of all values in now.
func differing[T any](f *stateFile, now map[string]string, all []T, id func(T) string) (list []T) {
	for _, one := range all {
		raw, err := json.Marshal(one)
		if now[id(one)] = string(raw); err != nil || f.written[id(one)] != string(raw) {
			list = append(list, one)
		}
	}
	return list
}
