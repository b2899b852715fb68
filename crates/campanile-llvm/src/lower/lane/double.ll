; Arithmetic of double precision on bit patterns, in integers alone: for results that no processor rounds as an
; instruction says.
;
; Ways to round have the numbers of `llvm.get.rounding`: 0 toward zero, 1 to the nearest and, of two, the even one, 2 up,
; 3 down, 4 to the nearest and, of two, the one farther from zero. With NaN among the operands, the first of them is the
; result, made quiet; otherwise an invalid operation gives the positive quiet NaN without a payload.
;
; A result is an integer, its significand, times a power of two, until `double.round` makes a pattern of it. Bits that
; have no room before are lost to odd: the last bit that stays is set if any of them was. If at least two more bits are
; dropped at the end, that rounding, whatever its way, is that of the exact result.
;
; There is no operation here for which LLVM would call a library, as it does to divide 128 bits.

declare i64 @llvm.ctlz.i64(i64, i1)
declare i128 @llvm.ctlz.i128(i128, i1)
declare i64 @llvm.abs.i64(i64, i1)
declare i128 @llvm.abs.i128(i128, i1)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i64 @llvm.umin.i64(i64, i64)

; a + b
define internal i64 @double-add(i64 %a, i64 %b, i32 %way) {
  %sum = call i64 @double-fma(i64 %a, i64 u0x3FF0000000000000, i64 %b, i32 %way)
  ret i64 %sum
}

; a - b. A NaN keeps its sign.
define internal i64 @double-sub(i64 %a, i64 %b, i32 %way) {
  %is.nan = call i1 @double-is.nan(i64 %b)
  %negated = xor i64 %b, u0x8000000000000000
  %term = select i1 %is.nan, i64 %b, i64 %negated
  %difference = call i64 @double-add(i64 %a, i64 %term, i32 %way)
  ret i64 %difference
}

; a * b. A zero with the sign of the product adds nothing, and leaves that sign to a product that is zero itself.
define internal i64 @double-mul(i64 %a, i64 %b, i32 %way) {
  %signs = xor i64 %a, %b
  %zero = and i64 %signs, u0x8000000000000000
  %product = call i64 @double-fma(i64 %a, i64 %b, i64 %zero, i32 %way)
  ret i64 %product
}

; a * b + c
define internal i64 @double-fma(i64 %a, i64 %b, i64 %c, i32 %way) {
  %a.is.finite = call i1 @double-is.finite(i64 %a)
  %b.is.finite = call i1 @double-is.finite(i64 %b)
  %c.is.finite = call i1 @double-is.finite(i64 %c)
  %product.is.finite = and i1 %a.is.finite, %b.is.finite
  %all.are.finite = and i1 %product.is.finite, %c.is.finite
  br i1 %all.are.finite, label %finite, label %other

finite:
  %a.parts = call { i64, i32 } @double-parts(i64 %a)
  %b.parts = call { i64, i32 } @double-parts(i64 %b)
  %c.parts = call { i64, i32 } @double-parts(i64 %c)
  %a.significand.64 = extractvalue { i64, i32 } %a.parts, 0
  %b.significand.64 = extractvalue { i64, i32 } %b.parts, 0
  %c.significand.64 = extractvalue { i64, i32 } %c.parts, 0
  %a.significand = zext i64 %a.significand.64 to i128
  %b.significand = zext i64 %b.significand.64 to i128
  %c.significand = zext i64 %c.significand.64 to i128
  %a.exponent = extractvalue { i64, i32 } %a.parts, 1
  %b.exponent = extractvalue { i64, i32 } %b.parts, 1
  %c.exponent = extractvalue { i64, i32 } %c.parts, 1

  ; Both terms begin at bit 124 or 125, which leaves a bit for a carry and one for the sign. The one with the lesser
  ; exponent is shifted to the other. If that loses a bit, they are so far apart that little can cancel.
  %product.significand = mul i128 %a.significand, %b.significand
  %product.shifted = shl i128 %product.significand, 20
  %product.exponent = add i32 %a.exponent, %b.exponent
  %c.shifted = shl i128 %c.significand, 72
  %c.exponent.shifted = sub i32 %c.exponent, 52
  %exponent = call i32 @llvm.smax.i32(i32 %product.exponent, i32 %c.exponent.shifted)
  %product.distance = sub i32 %exponent, %product.exponent
  %c.distance = sub i32 %exponent, %c.exponent.shifted
  %product.aligned = call i128 @double-shift.to.odd(i128 %product.shifted, i32 %product.distance)
  %c.aligned = call i128 @double-shift.to.odd(i128 %c.shifted, i32 %c.distance)

  %signs = xor i64 %a, %b
  %product.is.negative = icmp slt i64 %signs, 0
  %c.is.negative = icmp slt i64 %c, 0
  %product.negated = sub i128 0, %product.aligned
  %c.negated = sub i128 0, %c.aligned
  %product = select i1 %product.is.negative, i128 %product.negated, i128 %product.aligned
  %term = select i1 %c.is.negative, i128 %c.negated, i128 %c.aligned
  %sum = add i128 %product, %term
  %magnitude = call i128 @llvm.abs.i128(i128 %sum, i1 true)

  ; A sum that is zero is negative if both terms are, and rounding down, if either is.
  %is.down = icmp eq i32 %way, 3
  %either.is.negative = or i1 %product.is.negative, %c.is.negative
  %both.are.negative = and i1 %product.is.negative, %c.is.negative
  %zero.is.negative = select i1 %is.down, i1 %either.is.negative, i1 %both.are.negative
  %is.below.zero = icmp slt i128 %sum, 0
  %is.zero = icmp eq i128 %sum, 0
  %is.negative = select i1 %is.zero, i1 %zero.is.negative, i1 %is.below.zero
  %sum.exponent = sub i32 %exponent, 20
  %rounded = call i64 @double-round(i1 %is.negative, i128 %magnitude, i32 %sum.exponent, i32 %way)
  ret i64 %rounded

other:
  ; Nothing is left to round. Beside an infinite term, a finite product does not count, even if it were too great for a
  ; pattern.
  %a.number = bitcast i64 %a to double
  %b.number = bitcast i64 %b to double
  %c.number = bitcast i64 %c to double
  %product.number = fmul double %a.number, %b.number
  %sum.number = fadd double %product.number, %c.number
  %sum.pattern = bitcast double %sum.number to i64
  %pattern = select i1 %product.is.finite, i64 %c, i64 %sum.pattern
  %result = call i64 @double-with.nan(i64 %pattern, i64 %a, i64 %b, i64 %c)
  ret i64 %result
}

; a / b
define internal i64 @double-div(i64 %a, i64 %b, i32 %way) {
  %a.is.finite = call i1 @double-is.finite(i64 %a)
  %b.is.finite = call i1 @double-is.finite(i64 %b)
  %b.magnitude = and i64 %b, u0x7FFFFFFFFFFFFFFF
  %b.is.some = icmp ne i64 %b.magnitude, 0
  %both.are.finite = and i1 %a.is.finite, %b.is.finite
  %quotient.is.finite = and i1 %both.are.finite, %b.is.some
  br i1 %quotient.is.finite, label %finite, label %other

finite:
  %a.parts = call { i64, i32 } @double-parts(i64 %a)
  %b.parts = call { i64, i32 } @double-parts(i64 %b)
  %dividend = extractvalue { i64, i32 } %a.parts, 0
  %divisor = extractvalue { i64, i32 } %b.parts, 0
  %a.exponent = extractvalue { i64, i32 } %a.parts, 1
  %b.exponent = extractvalue { i64, i32 } %b.parts, 1
  br label %digit

digit:
  ; Unless it is zero, the quotient lies between 1/2 and 2. So 56 digits, of which the first is the unit, are at least
  ; 55 bits.
  %index = phi i32 [ 0, %finite ], [ %next, %digit ]
  %rest = phi i64 [ %dividend, %finite ], [ %rest.doubled, %digit ]
  %quotient = phi i64 [ 0, %finite ], [ %quotient.longer, %digit ]
  %fits = icmp uge i64 %rest, %divisor
  %subtrahend = select i1 %fits, i64 %divisor, i64 0
  %rest.less = sub i64 %rest, %subtrahend
  %rest.doubled = shl i64 %rest.less, 1
  %quotient.doubled = shl i64 %quotient, 1
  %bit = zext i1 %fits to i64
  %quotient.longer = or i64 %quotient.doubled, %bit
  %next = add i32 %index, 1
  %is.last = icmp eq i32 %next, 56
  br i1 %is.last, label %divided, label %digit

divided:
  %is.inexact = icmp ne i64 %rest.less, 0
  %lost = zext i1 %is.inexact to i64
  %quotient.odd = or i64 %quotient.longer, %lost
  %significand = zext i64 %quotient.odd to i128
  %distance = sub i32 %a.exponent, %b.exponent
  %exponent = sub i32 %distance, 55
  %signs = xor i64 %a, %b
  %is.negative = icmp slt i64 %signs, 0
  %rounded = call i64 @double-round(i1 %is.negative, i128 %significand, i32 %exponent, i32 %way)
  ret i64 %rounded

other:
  ; Such quotients are not rounded.
  %a.number = bitcast i64 %a to double
  %b.number = bitcast i64 %b to double
  %quotient.number = fdiv double %a.number, %b.number
  %quotient.pattern = bitcast double %quotient.number to i64
  %result = call i64 @double-with.nan(i64 %quotient.pattern, i64 %a, i64 %b, i64 0)
  ret i64 %result
}

; The square root of a
define internal i64 @double-sqrt(i64 %a, i32 %way) {
  ; But for zero, the patterns of positive finite numbers are the least.
  %less = sub i64 %a, 1
  %is.positive = icmp ult i64 %less, u0x7FEFFFFFFFFFFFFF
  br i1 %is.positive, label %positive, label %other

positive:
  ; The radicand is a fraction, with the point above bit 63, times a power of two whose exponent is even. Its first pair
  ; of digits is not zero, so that the root has 55 bits after 55 digits.
  %parts = call { i64, i32 } @double-parts(i64 %a)
  %significand = extractvalue { i64, i32 } %parts, 0
  %exponent = extractvalue { i64, i32 } %parts, 1
  %exponent.odd = and i32 %exponent, 1
  %distance = add i32 %exponent.odd, 10
  %distance.64 = zext i32 %distance to i64
  %radicand = shl i64 %significand, %distance.64
  %unit = sub i32 %exponent, %distance
  %radicand.exponent = add i32 %unit, 64
  %half = ashr i32 %radicand.exponent, 1
  %root.exponent = sub i32 %half, 55
  br label %digit

digit:
  ; The root r becomes 2r or, where the rest has room for the difference of the squares, 4r + 1, it becomes 2r + 1.
  %index = phi i32 [ 0, %positive ], [ %next, %digit ]
  %pairs = phi i64 [ %radicand, %positive ], [ %pairs.left, %digit ]
  %rest = phi i64 [ 0, %positive ], [ %rest.less, %digit ]
  %root = phi i64 [ 0, %positive ], [ %root.longer, %digit ]
  %pair = lshr i64 %pairs, 62
  %pairs.left = shl i64 %pairs, 2
  %rest.shifted = shl i64 %rest, 2
  %rest.longer = or i64 %rest.shifted, %pair
  %root.shifted = shl i64 %root, 2
  %difference = or i64 %root.shifted, 1
  %fits = icmp uge i64 %rest.longer, %difference
  %subtrahend = select i1 %fits, i64 %difference, i64 0
  %rest.less = sub i64 %rest.longer, %subtrahend
  %root.doubled = shl i64 %root, 1
  %bit = zext i1 %fits to i64
  %root.longer = or i64 %root.doubled, %bit
  %next = add i32 %index, 1
  %is.last = icmp eq i32 %next, 55
  br i1 %is.last, label %extracted, label %digit

extracted:
  %is.inexact = icmp ne i64 %rest.less, 0
  %lost = zext i1 %is.inexact to i64
  %root.odd = or i64 %root.longer, %lost
  %root.significand = zext i64 %root.odd to i128
  %rounded = call i64 @double-round(i1 false, i128 %root.significand, i32 %root.exponent, i32 %way)
  ret i64 %rounded

other:
  ; Zeros of both signs and positive infinity are their own roots; what is less than zero has none.
  %is.below.zero = icmp ugt i64 %a, u0x8000000000000000
  %pattern = select i1 %is.below.zero, i64 u0x7FF8000000000000, i64 %a
  %result = call i64 @double-with.nan(i64 %pattern, i64 %a, i64 0, i64 0)
  ret i64 %result
}

; An integer in two's complement as a number
define internal i64 @double-from.signed(i64 %integer, i32 %way) {
  %is.negative = icmp slt i64 %integer, 0
  %magnitude = call i64 @llvm.abs.i64(i64 %integer, i1 false)
  %significand = zext i64 %magnitude to i128
  %rounded = call i64 @double-round(i1 %is.negative, i128 %significand, i32 0, i32 %way)
  ret i64 %rounded
}

; An integer without a sign as a number
define internal i64 @double-from.unsigned(i64 %integer, i32 %way) {
  %significand = zext i64 %integer to i128
  %rounded = call i64 @double-round(i1 false, i128 %significand, i32 0, i32 %way)
  ret i64 %rounded
}

; The significand and the exponent of a finite number without its sign. The highest bit of the significand is bit 52.
; Zero has none, and an exponent so low that no term of a sum is shifted to it.
define internal { i64, i32 } @double-parts(i64 %pattern) {
  %magnitude = and i64 %pattern, u0x7FFFFFFFFFFFFFFF
  %field.64 = lshr i64 %magnitude, 52
  %field = trunc i64 %field.64 to i32
  %fraction = and i64 %pattern, u0x000FFFFFFFFFFFFF
  %is.normal = icmp ne i32 %field, 0
  %first = select i1 %is.normal, i64 u0x0010000000000000, i64 0
  %digits = or i64 %fraction, %first

  %zeros = call i64 @llvm.ctlz.i64(i64 %digits, i1 false)
  %distance.64 = sub i64 %zeros, 11
  %significand = shl i64 %digits, %distance.64
  %distance = trunc i64 %distance.64 to i32
  %field.least = call i32 @llvm.smax.i32(i32 %field, i32 1)
  %unit = sub i32 %field.least, 1075
  %exponent.some = sub i32 %unit, %distance
  %is.zero = icmp eq i64 %digits, 0
  %exponent = select i1 %is.zero, i32 -8192, i32 %exponent.some

  %part = insertvalue { i64, i32 } poison, i64 %significand, 0
  %parts = insertvalue { i64, i32 } %part, i32 %exponent, 1
  ret { i64, i32 } %parts
}

; A significand without so many of its last bits, which are lost to odd. Of all but zero a bit stays.
define internal i128 @double-shift.to.odd(i128 %significand, i32 %distance) {
  %bounded = call i32 @llvm.umin.i32(i32 %distance, i32 127)
  %distance.128 = zext i32 %bounded to i128
  %shifted = lshr i128 %significand, %distance.128
  %restored = shl i128 %shifted, %distance.128
  %is.inexact = icmp ne i128 %restored, %significand
  %lost = zext i1 %is.inexact to i128
  %odd = or i128 %shifted, %lost
  ret i128 %odd
}

; The pattern of a significand times a power of two, which is exact, or to odd if it has at least 55 bits: the only place
; where a result is rounded
define internal i64 @double-round(i1 %is.negative, i128 %significand, i32 %exponent, i32 %way) {
  ; The highest bit goes to bit 127. For zero, which has none, all of this is poison and not selected in the end.
  %zeros.128 = call i128 @llvm.ctlz.i128(i128 %significand, i1 false)
  %zeros = trunc i128 %zeros.128 to i32
  %normalized = shl i128 %significand, %zeros.128
  %top = add i32 %exponent, 127
  %highest = sub i32 %top, %zeros

  ; The last bit of the result is 52 below the highest, but in subnormal numbers it is worth 2^-1074. Two more bits stay.
  %least = call i32 @llvm.smax.i32(i32 %highest, i32 -1022)
  %below = sub i32 %least, %highest
  %distance = add i32 %below, 73
  %quarters.128 = call i128 @double-shift.to.odd(i128 %normalized, i32 %distance)
  %quarters = trunc i128 %quarters.128 to i64

  ; How many quarters of the last bit are added before quarters are cut off: none toward zero, 3 away from it, 2 to the
  ; nearest; but 1 where a tie has to leave an even number as it is.
  %unit = lshr i64 %quarters, 2
  %unit.odd = and i64 %unit, 1
  %to.even = add i64 %unit.odd, 1
  %away = select i1 %is.negative, i32 3, i32 2
  %is.away = icmp eq i32 %way, %away
  %is.nearest.even = icmp eq i32 %way, 1
  %is.nearest.away = icmp eq i32 %way, 4
  %directed = select i1 %is.away, i64 3, i64 0
  %not.even = select i1 %is.nearest.away, i64 2, i64 %directed
  %more = select i1 %is.nearest.even, i64 %to.even, i64 %not.even
  %quarters.more = add i64 %quarters, %more
  %rounded = lshr i64 %quarters.more, 2

  ; The highest bit of a normal number adds one to the exponent field, and so does a carry. Beyond the finite numbers is
  ; infinity, but toward zero the greatest of them.
  %field = add i32 %least, 1022
  %field.64 = zext i32 %field to i64
  %field.shifted = shl i64 %field.64, 52
  %unbounded = add i64 %field.shifted, %rounded
  %is.toward.zero = icmp eq i64 %more, 0
  %greatest = select i1 %is.toward.zero, i64 u0x7FEFFFFFFFFFFFFF, i64 u0x7FF0000000000000
  %bounded = call i64 @llvm.umin.i64(i64 %unbounded, i64 %greatest)

  %is.zero = icmp eq i128 %significand, 0
  %magnitude = select i1 %is.zero, i64 0, i64 %bounded
  %sign = select i1 %is.negative, i64 u0x8000000000000000, i64 0
  %pattern = or i64 %sign, %magnitude
  ret i64 %pattern
}

; Whether a pattern is that of a number or a zero
define internal i1 @double-is.finite(i64 %pattern) {
  %magnitude = and i64 %pattern, u0x7FFFFFFFFFFFFFFF
  %is.finite = icmp ult i64 %magnitude, u0x7FF0000000000000
  ret i1 %is.finite
}

define internal i1 @double-is.nan(i64 %pattern) {
  %magnitude = and i64 %pattern, u0x7FFFFFFFFFFFFFFF
  %is.nan = icmp ugt i64 %magnitude, u0x7FF0000000000000
  ret i1 %is.nan
}

; A result of these operands; in place of a NaN, the one that it has to be
define internal i64 @double-with.nan(i64 %result, i64 %a, i64 %b, i64 %c) {
  %a.is.nan = call i1 @double-is.nan(i64 %a)
  %b.is.nan = call i1 @double-is.nan(i64 %b)
  %c.is.nan = call i1 @double-is.nan(i64 %c)
  %from.c = select i1 %c.is.nan, i64 %c, i64 u0x7FF8000000000000
  %from.b = select i1 %b.is.nan, i64 %b, i64 %from.c
  %first = select i1 %a.is.nan, i64 %a, i64 %from.b
  %quiet = or i64 %first, u0x0008000000000000
  %is.nan = call i1 @double-is.nan(i64 %result)
  %pattern = select i1 %is.nan, i64 %quiet, i64 %result
  ret i64 %pattern
}
