package sandbox

import (
	"context"
	"slices"
	"sync"
)

// openedImages are the sandboxes of images that were opened before, by the images' ids.
type openedImages struct {
	mu   sync.Mutex
	byID map[string]*Sandbox
}

// UsesImage reports whether commands see the programs of an image, and none of this machine: the kind docker.
func (s *Sandbox) UsesImage() bool { return s.backend.Environment().Image }

// ImageID returns the engine's id of the image that commands run in, or an empty string if the kind has none.
// Other content has another id.
func (s *Sandbox) ImageID() string { return s.backend.Environment().ImageID }

// WhereToInstall says where a program has to be for commands to find it.
func (s *Sandbox) WhereToInstall() string {
	if s.UsesImage() {
		return "install it in the image that commands run in"
	}
	return "install it on the machine that I run on, where commands see it: below /usr"
}

// WithImage returns a sandbox like this one whose commands run in another image, which the engine has to
// have. It is probed once; after that the same sandbox is returned as long as the name means the same image.
// The error is an *Unavailable, also if the kind has no images, unless ctx ended.
func (s *Sandbox) WithImage(ctx context.Context, image string) (*Sandbox, error) {
	if !s.UsesImage() {
		return nil, &Unavailable{
			Kind: s.kind,
			Why:  "the image " + image + " cannot be used: commands run with the programs of this machine",
			Cure: "set sandbox.kind to docker",
		}
	}
	k := kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == s.kind })]
	c := s.config
	c.Image = image
	b, err := k.open(ctx, c)
	if err != nil {
		return nil, newUnavailable(k.name, nil, err)
	}
	id := b.Environment().ImageID
	if id == s.ImageID() {
		return s, nil
	}
	s.images.mu.Lock()
	defer s.images.mu.Unlock()
	if opened := s.images.byID[id]; opened != nil {
		return opened, nil
	}
	opened, err := probed(ctx, c, k, b)
	if err != nil {
		return nil, err
	}
	opened.images = s.images
	if s.images.byID == nil {
		s.images.byID = map[string]*Sandbox{}
	}
	s.images.byID[id] = opened
	return opened, nil
}
