"""The Grams of a list: in which parts they are computed, held and summed, and what each kernel is divided by."""
