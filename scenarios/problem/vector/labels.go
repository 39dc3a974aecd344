package vector

// OfSigns returns the function that writes labels -1 and 1 in another form; nil where they stay
// as they are. The classes of -1 and 1 are 0 and 1, and as numbers they are themselves.
func OfSigns(form Label) func(y float64) float64 {
	if form != Class {
		return nil
	}
	return func(y float64) float64 {
		if y < 0 {
			return 0
		}
		return 1
	}
}

// OfClasses returns the function that writes classes 0, 1, ... in another form; nil where they
// stay as they are. The sign of a class is 1 if it is positive, else -1, and as a number a class
// is itself.
func OfClasses(form Label, positive func(class int) bool) func(y float64) float64 {
	if form != Sign {
		return nil
	}
	return func(y float64) float64 {
		if positive(int(y)) {
			return 1
		}
		return -1
	}
}
