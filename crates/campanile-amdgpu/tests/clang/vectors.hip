// Vectors as HIP's headers make them, as far as it matters for how they are passed: a class with a base, which has a union.
template <typename T, unsigned count> struct HIP_vector_base;
#define BASE(count, vector, elements)                                                                                  \
  template <typename T> struct HIP_vector_base<T, count> {                                                             \
    vector;                                                                                                            \
    union {                                                                                                            \
      Vector data;                                                                                                     \
      struct {                                                                                                         \
        elements;                                                                                                      \
      };                                                                                                               \
    };                                                                                                                 \
    __attribute__((device)) HIP_vector_base() = default;                                                               \
    __attribute__((device)) HIP_vector_base(const HIP_vector_base &) = default;                                        \
    __attribute__((device)) ~HIP_vector_base() = default;                                                              \
  };
BASE(1, typedef T Vector __attribute__((ext_vector_type(1))), T x)
BASE(2, typedef T Vector __attribute__((ext_vector_type(2))), T x; T y)
BASE(3, struct Vector { T d[3]; }, T x; T y; T z)
BASE(4, typedef T Vector __attribute__((ext_vector_type(4))), T x; T y; T z; T w)
template <typename T, unsigned count> struct HIP_vector_type : public HIP_vector_base<T, count> {
  __attribute__((device)) HIP_vector_type() = default;
  __attribute__((device)) HIP_vector_type(const HIP_vector_type &) = default;
  __attribute__((device)) ~HIP_vector_type() = default;
};
