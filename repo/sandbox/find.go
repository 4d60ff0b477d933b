package sandbox

import (
	"context"
	"errors"
)

// Find opens the configured kind, or the first automatic kind that works on this machine. whys has the
// reasons why the kinds before it do not work. box is nil if none works.
func Find(ctx context.Context, c Config) (box *Sandbox, whys []*Unavailable, err error) {
	kinds := []string{c.Kind}
	if c.Kind == kindAuto || c.Kind == kindAutoWritten {
		kinds = []string{KindBubblewrap, KindNamespaces}
	}
	for _, kind := range kinds {
		var u *Unavailable
		c.Kind = kind
		switch box, err = Open(ctx, c); {
		case errors.As(err, &u):
			whys = append(whys, u)
		default:
			return box, whys, err
		}
	}
	return nil, whys, nil
}
