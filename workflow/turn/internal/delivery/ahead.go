package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
)

// intendPush records the intent to push, once no push of another repository of the thread comes first. After
// a wait it calls recheck: people may have written what the push has to follow.
func (d *Delivery) intendPush(ctx context.Context, recheck func() error, intent ...store.Part) error {
	for {
		err := d.Record(ctx, intent...)
		if !errors.Is(err, consent.ErrPushAhead) {
			return err
		}
		if err := d.awaitPushAhead(ctx); err != nil {
			return err
		}
		if err := recheck(); err != nil {
			return err
		}
	}
}

// awaitPushAhead waits while a push of another repository of the thread comes first.
func (d *Delivery) awaitPushAhead(ctx context.Context) error {
	again := time.NewTicker(pushPace)
	defer again.Stop()
	for {
		ahead, err := d.Store.PushAhead(ctx, d.Session().ID)
		if err != nil || !ahead {
			return err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pushPace is how often it is looked whether a push that comes first is over.
const pushPace = 200 * time.Millisecond
