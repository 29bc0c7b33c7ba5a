package cache

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestRecentComputesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Recent[string, int]
		computed := 0
		ask := func() {
			value, err := r.Get(t.Context(), "iron", func() (int, error) {
				computed++
				time.Sleep(time.Second)
				return 7, nil
			})
			if value != 7 || err != nil {
				t.Errorf("%d, %v", value, err)
			}
		}
		for range 5 {
			go ask()
		}
		synctest.Wait()
		if _, ok := r.LookUp("iron"); ok {
			t.Error("there before it was computed")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		ask()
		if computed != 1 {
			t.Errorf("computed %d times", computed)
		}
		if value, ok := r.LookUp("iron"); !ok || value != 7 {
			t.Errorf("%d, %v", value, ok)
		}
	})
}

func TestRecentDoesNotKeepWhatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Recent[string, int]
		failure := errors.New("the one who asked has gone")
		failing := func() (int, error) { time.Sleep(time.Second); return 0, failure }
		panicking := func() (int, error) { time.Sleep(time.Second); panic("a file was cut off") }
		for i, compute := range []func() (int, error){failing, panicking} {
			key := fmt.Sprint(i)
			go func() {
				defer func() {
					if got := recover(); (got != nil) != (i == 1) {
						t.Errorf("panic: %v", got)
					}
				}()
				_, _ = r.Get(t.Context(), key, compute)
			}()
			synctest.Wait()
			value, err := r.Get(t.Context(), key, func() (int, error) { return 7, nil })
			if value != 7 || err != nil {
				t.Errorf("after %d: %d, %v", i, value, err)
			}
			if _, ok := r.LookUp(key); ok {
				t.Errorf("%d was remembered", i)
			}
		}
	})
}

func TestWhoWaitsForAnotherCanLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Recent[string, int]
		go func() {
			_, _ = r.Get(t.Context(), "iron", func() (int, error) { time.Sleep(time.Hour); return 7, nil })
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.Get(ctx, "iron", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		time.Sleep(time.Hour)
	})
}

func TestRecentForgetsTheOldest(t *testing.T) {
	for size, kept := range map[int]int{0: 8, 3: 3} {
		r := Recent[string, int]{Size: size}
		for i := range kept + 1 {
			if _, err := r.Get(t.Context(), fmt.Sprint(i), func() (int, error) { return i, nil }); err != nil {
				t.Fatal(err)
			}
		}
		for i := range kept + 1 {
			if value, ok := r.LookUp(fmt.Sprint(i)); ok != (i > 0) || ok && value != i {
				t.Errorf("size %d: %d: %d, %v", size, i, value, ok)
			}
		}
	}
}
