//! The registry of particle columns: what happens to every column of a solver alike is written once.
//!
//! [`particle_columns!`](crate::particle_columns) declares a struct of columns, one line each. From these lines follow
//! sorting, growth, removal, checkpoints with their checks, hashes and the count of bytes ([`ParticleColumns`]):
//!
//! ```
//! granule::particle_columns! {
//!     /// Columns of a solver that remembers forces.
//!     pub struct ForceColumns {
//!         /// Force of the last step [N].
//!         force: Vec<glam::Vec4> => State,
//!         /// Number of contacts in the last step.
//!         contacts: Vec<u32> => Output,
//!         /// What a step needs for itself.
//!         share: Vec<f32> = 1.0 => Scratch,
//!     }
//! }
//! use granule::columns::ParticleColumns;
//! let mut columns = ForceColumns::default();
//! columns.resize(3);
//! columns.retain(&[true, false, true]);
//! assert_eq!(columns.share, [1.0; 2]);
//! ```

use glam::{Quat, Vec4};
use serde::{Deserialize, Serialize};

use crate::hash::Fnv;
use crate::neighbors::{Permutation, Scratch};
use crate::position::ExactPosition;

/// What a column is for, and so what happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Where a particle is and how it moves: state that the state hash covers.
    Motion,
    /// Outlives a step: sorted along, kept when others are removed, saved.
    State,
    /// Follows the motion and does not act upon it, such as the orientation of a sphere: sorted along, kept and saved as state
    /// is, and in no hash.
    Follower,
    /// What the last step left to be read: kept when others are removed and saved, so that fields are the same after a
    /// restart; written before it is read in every step, so not sorted along.
    Output,
    /// Needed within a step only; has room for every particle.
    Scratch,
}

impl Role {
    /// Whether the column is reordered with the particles.
    pub fn is_sorted(self) -> bool {
        matches!(self, Self::Motion | Self::State | Self::Follower)
    }

    /// Whether checkpoints hold the column, and the values of particles that stay are kept when others go.
    pub fn is_saved(self) -> bool {
        self != Self::Scratch
    }
}

/// A line of the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// The column's name, in code and in checkpoints.
    pub name: &'static str,
    /// What it is for.
    pub role: Role,
}

/// The values of a column with their type, as checkpoints hold them: one value per particle, in memory order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ColumnData {
    /// Numbers.
    F32(Vec<f32>),
    /// Rows of four numbers.
    Vec4(Vec<Vec4>),
    /// Orientations.
    Quat(Vec<Quat>),
    /// Symmetric tensors (xx, xy, xz, yy, yz, zz).
    Tensor(Vec<[f32; 6]>),
    /// Indices.
    U32(Vec<u32>),
    /// Small indices.
    U16(Vec<u16>),
    /// Exact positions.
    Exact(Vec<ExactPosition>),
}

impl ColumnData {
    /// Number of particles.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::Vec4(values) => values.len(),
            Self::Quat(values) => values.len(),
            Self::Tensor(values) => values.len(),
            Self::U32(values) => values.len(),
            Self::U16(values) => values.len(),
            Self::Exact(values) => values.len(),
        }
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        let finite = |values: &[f32]| values.iter().all(|value| value.is_finite());
        match self {
            Self::F32(values) => finite(values),
            Self::Vec4(values) => values.iter().all(|value| value.is_finite()),
            Self::Quat(values) => values.iter().all(|value| value.is_finite()),
            Self::Tensor(values) => finite(values.as_flattened()),
            Self::U32(_) | Self::U16(_) | Self::Exact(_) => true,
        }
    }
}

/// A value that columns may hold.
pub trait Element: Copy + Default + Send + Sync + 'static {
    /// Adds the value's bits to a hash.
    fn hash(&self, hash: &mut Fnv);
    /// Memory for reordering columns of such values.
    fn scratch(scratch: &mut Scratch) -> &mut Vec<Self>;
    /// The values with their type.
    fn into_data(values: Vec<Self>) -> ColumnData;
    /// The values, if they are of this type.
    fn from_data(data: ColumnData) -> Option<Vec<Self>>;
}

macro_rules! element {
    ($type:ty, $variant:ident, $scratch:ident, |$value:ident, $hash:ident| $add:expr) => {
        impl Element for $type {
            fn hash(&self, $hash: &mut Fnv) {
                let $value = self;
                $add;
            }

            fn scratch(scratch: &mut Scratch) -> &mut Vec<Self> {
                &mut scratch.$scratch
            }

            fn into_data(values: Vec<Self>) -> ColumnData {
                ColumnData::$variant(values)
            }

            fn from_data(data: ColumnData) -> Option<Vec<Self>> {
                match data {
                    ColumnData::$variant(values) => Some(values),
                    _ => None,
                }
            }
        }
    };
}

element!(f32, F32, floats, |value, hash| hash.word(value.to_bits() as u64));
element!(Vec4, Vec4, rows, |value, hash| value.to_array().iter().for_each(|c| c.hash(hash)));
element!(Quat, Quat, orientations, |value, hash| value.to_array().iter().for_each(|c| c.hash(hash)));
element!(u32, U32, words, |value, hash| hash.word(*value as u64));
element!(u16, U16, halves, |value, hash| hash.word(*value as u64));
element!(ExactPosition, Exact, places, |value, hash| value.hash_into(hash));

/// A column of any type.
pub trait AnyColumn {
    /// Whether the solver has the column; optional ones exist only where asked for.
    fn exists(&self) -> bool {
        true
    }
    /// Reorders it: `new[k] = old[order[k]]`.
    fn permute(&mut self, order: &Permutation, scratch: &mut Scratch);
    /// Keeps the values of the particles for which `keep` holds, in their order.
    fn retain(&mut self, keep: &[bool]);
    /// Bytes held.
    fn bytes(&self) -> usize;
    /// Adds the value of a particle to a hash.
    fn hash(&self, particle: usize, hash: &mut Fnv);
    /// The values with their type.
    fn save(&self) -> ColumnData;
    /// Takes over values; false where they are of another type.
    fn restore(&mut self, data: ColumnData) -> bool;
}

/// A column that has room for one value per particle.
pub trait ColumnStorage: AnyColumn {
    /// A particle's value.
    type Value: Default;
    /// Makes room for so many particles; new ones have the initial value.
    fn resize(&mut self, count: usize, initial: Self::Value);
}

impl<T: Element> AnyColumn for Vec<T> {
    fn permute(&mut self, order: &Permutation, scratch: &mut Scratch) {
        order.apply(self, T::scratch(scratch));
    }

    fn retain(&mut self, keep: &[bool]) {
        let mut flags = keep.iter();
        Vec::retain(self, |_| *flags.next().unwrap_or(&true));
    }

    fn bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }

    fn hash(&self, particle: usize, hash: &mut Fnv) {
        self[particle].hash(hash);
    }

    fn save(&self) -> ColumnData {
        T::into_data(self.clone())
    }

    fn restore(&mut self, data: ColumnData) -> bool {
        T::from_data(data).map(|values| *self = values).is_some()
    }
}

impl<T: Element> ColumnStorage for Vec<T> {
    type Value = T;

    fn resize(&mut self, count: usize, initial: T) {
        Vec::resize(self, count, initial);
    }
}

/// An optional column.
impl<C: ColumnStorage> AnyColumn for Option<C> {
    fn exists(&self) -> bool {
        self.is_some()
    }

    fn permute(&mut self, order: &Permutation, scratch: &mut Scratch) {
        if let Some(column) = self {
            column.permute(order, scratch);
        }
    }

    fn retain(&mut self, keep: &[bool]) {
        if let Some(column) = self {
            column.retain(keep);
        }
    }

    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, AnyColumn::bytes)
    }

    fn hash(&self, particle: usize, hash: &mut Fnv) {
        if let Some(column) = self {
            column.hash(particle, hash);
        }
    }

    fn save(&self) -> ColumnData {
        self.as_ref().map_or(ColumnData::F32(Vec::new()), AnyColumn::save)
    }

    fn restore(&mut self, data: ColumnData) -> bool {
        self.as_mut().is_some_and(|column| column.restore(data))
    }
}

impl<C: ColumnStorage> ColumnStorage for Option<C> {
    type Value = C::Value;

    fn resize(&mut self, count: usize, initial: C::Value) {
        if let Some(column) = self {
            column.resize(count, initial);
        }
    }
}

/// Why a saved column cannot be taken over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColumnError {
    /// It is not there.
    #[error("no column `{0}`")]
    Missing(String),
    /// It has values for more or fewer particles than there are.
    #[error("columns of different lengths: `{0}`")]
    Length(String),
    /// Its values are of another type.
    #[error("column `{0}` holds values of another type")]
    Type(String),
    /// A value is infinite or not a number.
    #[error("column `{0}` holds a value that is not finite")]
    NotFinite(String),
    /// The solver has no such column.
    #[error("a column `{0}` that the solver does not have")]
    Unknown(String),
}

/// Columns by name, as checkpoints hold them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedColumns(Vec<(String, ColumnData)>);

impl SavedColumns {
    /// The columns with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ColumnData)> {
        self.0.iter().map(|(name, data)| (name.as_str(), data))
    }

    /// A column by its name.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut ColumnData> {
        self.0.iter_mut().find(|(known, _)| known == name).map(|(_, data)| data)
    }

    /// Adds a column, or replaces that of the same name.
    pub fn set(&mut self, name: &str, data: ColumnData) {
        match self.get_mut(name) {
            Some(known) => *known = data,
            None => self.0.push((name.into(), data)),
        }
    }

    /// Takes a column of so many particles out.
    ///
    /// # Errors
    /// Says that it is missing, has another length or holds values that are not finite.
    pub fn take(&mut self, name: &str, count: usize) -> Result<ColumnData, ColumnError> {
        let at = self.0.iter().position(|(known, _)| known == name);
        let (name, data) = self.0.swap_remove(at.ok_or_else(|| ColumnError::Missing(name.into()))?);
        if data.len() != count {
            return Err(ColumnError::Length(name));
        }
        if data.is_finite() { Ok(data) } else { Err(ColumnError::NotFinite(name)) }
    }

    /// Takes a column of values of one type out.
    ///
    /// # Errors
    /// As [`SavedColumns::take`], or says that it holds values of another type.
    pub fn take_values<T: Element>(&mut self, name: &str, count: usize) -> Result<Vec<T>, ColumnError> {
        T::from_data(self.take(name, count)?).ok_or_else(|| ColumnError::Type(name.into()))
    }

    /// That nothing is left that nobody has taken.
    ///
    /// # Errors
    /// Names a column that is left.
    pub fn check_all_taken(&self) -> Result<(), ColumnError> {
        self.0.first().map_or(Ok(()), |(name, _)| Err(ColumnError::Unknown(name.clone())))
    }

    /// That all values are finite.
    ///
    /// # Errors
    /// Names the column of one that is not.
    pub fn check_finite(&self) -> Result<(), ColumnError> {
        let wrong = self.0.iter().find(|(_, data)| !data.is_finite());
        wrong.map_or(Ok(()), |(name, _)| Err(ColumnError::NotFinite(name.clone())))
    }
}

/// Columns that [`particle_columns!`](crate::particle_columns) has declared.
pub trait ParticleColumns {
    /// The registry: every column with what it is for.
    fn columns(&self) -> Vec<(ColumnInfo, &dyn AnyColumn)>;

    /// The registry, to be changed.
    fn columns_mut(&mut self) -> Vec<(ColumnInfo, &mut dyn AnyColumn)>;

    /// Makes room for so many particles; new ones have the initial values of the registry.
    fn resize(&mut self, count: usize);

    /// Reorders the columns that outlive a step: `new[k] = old[order[k]]`.
    fn permute(&mut self, order: &Permutation, scratch: &mut Scratch) {
        for (info, column) in self.columns_mut() {
            if info.role.is_sorted() {
                column.permute(order, scratch);
            }
        }
    }

    /// Keeps the particles for which `keep` holds, in their order.
    fn retain(&mut self, keep: &[bool]) {
        for (info, column) in self.columns_mut() {
            if info.role.is_saved() {
                column.retain(keep);
            }
        }
        self.resize(keep.iter().filter(|keep| **keep).count());
    }

    /// Bytes held.
    fn bytes(&self) -> usize {
        self.columns().iter().map(|(_, column)| column.bytes()).sum()
    }

    /// Adds the motion of particles to a hash, particle by particle in this order.
    fn hash(&self, order: &[u32], hash: &mut Fnv) {
        let columns = self.columns();
        let motion: Vec<_> = columns.iter().filter(|(info, _)| info.role == Role::Motion).collect();
        for &i in order {
            motion.iter().for_each(|(_, column)| column.hash(i as usize, hash));
        }
    }

    /// The columns that checkpoints hold.
    fn save(&self) -> SavedColumns {
        let saved = |(info, column): &(ColumnInfo, &dyn AnyColumn)| info.role.is_saved() && column.exists();
        let columns = self.columns().into_iter().filter(saved);
        SavedColumns(columns.map(|(info, column)| (info.name.into(), column.save())).collect())
    }

    /// Takes the columns of so many particles out of a checkpoint. On an error these columns must not be used.
    ///
    /// # Errors
    /// Names a column that is missing, of another type or length, or not finite.
    fn restore(&mut self, saved: &mut SavedColumns, count: usize) -> Result<(), ColumnError> {
        for (info, column) in self.columns_mut() {
            if info.role.is_saved() && column.exists() && !column.restore(saved.take(info.name, count)?) {
                return Err(ColumnError::Type(info.name.into()));
            }
        }
        self.resize(count);
        Ok(())
    }
}

/// Declares a struct of particle columns and its registry, a line per column: `name: storage = initial value => role`.
/// The storage is a `Vec`, an `Option<Vec>` for a column that exists only where it is asked for, or any
/// [`ColumnStorage`]; without an initial value new particles have the default of its values. Roles are those of
/// [`Role`]. Fields that are no columns follow in `beside { ... }`; the registry does not touch them.
#[macro_export]
macro_rules! particle_columns {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$column_meta:meta])* $column:ident: $storage:ty $(= $initial:expr)? => $role:ident,)*
        }
        $(beside {
            $($(#[$field_meta:meta])* $field_visibility:vis $field:ident: $type:ty,)*
        })?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default)]
        $visibility struct $name {
            $($(#[$column_meta])* pub $column: $storage,)*
            $($($(#[$field_meta])* $field_visibility $field: $type,)*)?
        }

        impl $crate::columns::ParticleColumns for $name {
            fn columns(&self) -> Vec<($crate::columns::ColumnInfo, &dyn $crate::columns::AnyColumn)> {
                vec![$((
                    $crate::columns::ColumnInfo {
                        name: stringify!($column),
                        role: $crate::columns::Role::$role,
                    },
                    &self.$column,
                )),*]
            }

            fn columns_mut(
                &mut self,
            ) -> Vec<($crate::columns::ColumnInfo, &mut dyn $crate::columns::AnyColumn)> {
                vec![$((
                    $crate::columns::ColumnInfo {
                        name: stringify!($column),
                        role: $crate::columns::Role::$role,
                    },
                    &mut self.$column,
                )),*]
            }

            fn resize(&mut self, count: usize) {
                $($crate::columns::ColumnStorage::resize(
                    &mut self.$column,
                    count,
                    $crate::particle_columns!(@initial $($initial)?),
                );)*
            }
        }
    };
    (@initial) => { Default::default() };
    (@initial $initial:expr) => { $initial };
}

pub use particle_columns;

#[cfg(test)]
mod tests;
