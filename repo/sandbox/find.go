package sandbox

import (
	"context"
	"errors"
)

// Find opens the kind that is asked for, or the first that holds on this machine, and says why
// those before it do not; nil: none holds.
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
