//! Building an interface in Rust, one call for each line of the file.

use super::{Argument, ArgumentKind, Intent, KernelInterface, SHARED_ALIGN, Shape, WorkspaceInterface};
use crate::element::{ElementType, Number};
use crate::extent::{Extent, ParseFault};
use crate::layout::{IndexType, Initial, ScalarPassing};
use crate::noalias::{Launch, Storage};
use crate::record::Record;

impl KernelInterface {
    /// A kernel without arguments.
    ///
    /// ```
    /// use campanile_contract::{KernelInterface, Number, finalize};
    /// use campanile_contract::layout::Limits;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let interface = KernelInterface::kernel("step")
    ///     .array("u", Number::F32, 2)
    ///     .scalar("n", Number::I32)
    ///     .workspace("tmp", Number::F32, ["n + 1", "4"])?;
    /// let layout = finalize(&interface, Limits::default()).map_err(|faults| faults[0].clone())?;
    /// assert_eq!(layout.workspaces[0].buffer_index, 5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn kernel(name: &str) -> Self {
        KernelInterface { name: name.to_owned(), ..KernelInterface::default() }
    }

    /// Declares a record.
    #[must_use]
    pub fn record(mut self, name: &str, record: impl Into<Record>) -> Self {
        self.records.insert(name.to_owned(), record.into());
        self
    }

    /// Adds an argument of any sort.
    #[must_use]
    pub fn argument(mut self, name: &str, kind: ArgumentKind) -> Self {
        let (intent, initial) = (Intent::default(), Initial::default());
        self.arguments.push(Argument { name: name.to_owned(), kind, intent, initial });
        self
    }

    /// Adds an array whose sizes each launch gives.
    #[must_use]
    pub fn array(self, name: &str, element: Number, rank: u32) -> Self {
        let shape = Shape::Deferred(rank);
        self.argument(name, ArgumentKind::Array { element: element.into(), shape })
    }

    /// Adds an array of records.
    #[must_use]
    pub fn records(self, name: &str, record: &str, rank: u32) -> Self {
        let (element, shape) = (ElementType::Record(record.to_owned()), Shape::Deferred(rank));
        self.argument(name, ArgumentKind::Array { element, shape })
    }

    /// Adds a value.
    #[must_use]
    pub fn scalar(self, name: &str, number: Number) -> Self {
        self.argument(name, ArgumentKind::Scalar(number))
    }

    /// Adds shared memory of so many bytes, aligned to [`SHARED_ALIGN`].
    ///
    /// # Errors
    /// When the size is no extent.
    pub fn shared(self, name: &str, bytes: &str) -> Result<Self, ParseFault> {
        let bytes = bytes.parse()?;
        Ok(self.argument(name, ArgumentKind::Shared { bytes, align: SHARED_ALIGN }))
    }

    /// Says what the kernel may do with the argument added last.
    #[must_use]
    pub fn intent(mut self, intent: Intent) -> Self {
        if let Some(last) = self.arguments.last_mut() {
            last.intent = intent;
        }
        self
    }

    /// Promises that the kernel overwrites all of the argument added last.
    #[must_use]
    pub fn undefined(mut self) -> Self {
        if let Some(last) = self.arguments.last_mut() {
            last.initial = Initial::Undefined;
        }
        self
    }

    /// Adds a scratch array, aligned as its elements.
    ///
    /// # Errors
    /// When a dimension is no extent.
    pub fn workspace<'a>(
        mut self,
        name: &str,
        element: Number,
        dims: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, ParseFault> {
        let dims: Result<Vec<Extent>, ParseFault> = dims.into_iter().map(str::parse).collect();
        let (name, align) = (name.to_owned(), element.size());
        self.workspaces.push(WorkspaceInterface { name, element, dims: dims?, align });
        Ok(self)
    }

    /// Passes all scalars in one struct.
    #[must_use]
    pub fn scalar_block(mut self) -> Self {
        self.scalar_passing = ScalarPassing::Block;
        self
    }

    /// Sets the type of extents, component offsets and sizes, and lanes.
    #[must_use]
    pub fn index(mut self, index: IndexType) -> Self {
        self.index = index;
        self
    }

    /// Shares each iteration among so many work-items.
    #[must_use]
    pub fn lanes(mut self, lanes: u32) -> Self {
        self.lanes = Some(lanes);
        self
    }

    /// Declares what launches may pass.
    #[must_use]
    pub fn storage(mut self, name: &str, storage: Storage) -> Self {
        self.storages.insert(name.to_owned(), storage);
        self
    }

    /// Says that these are all launches there are.
    #[must_use]
    pub fn launches(mut self, launches: Vec<Launch>) -> Self {
        self.launches = Some(launches);
        self
    }
}
